"""The program as a child process, and its answers as rows.

engine      the child process
profile     a profile to ask questions
messages    messages of the program in Python's words
commands    the commands of the program as methods; the build makes it
answer      what a command answers, as rows
events      each execution as a row, by column
html        tables and pages for notebooks
pictures    findings, flame graphs and lanes for notebooks
files       temporary folders, and files that are written completely
"""
