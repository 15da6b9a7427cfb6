"""Profiles of many ranks as one dataset, and questions about it.

inputs      which files there are, and which rank each is of
reading     what the program says about one file, as rows
dataset     the schema, and the folders of Parquet files
ingest      files into a dataset, with a pool of processes
view        a dataset as tables of DuckDB
questions   overview, stragglers, collectives and the other answers
statistics  limits for what is not noise
output      answers as tables, JSON, CSV and Markdown
command     the command line `tfprof-fleet`

Only dataset, ingest and view need pyarrow or duckdb: pip install tfprof[fleet].
"""
