"""Profiles of many ranks as one dataset, and questions about it.

inputs      which files there are, and which rank each is of
reading     what the program says about one file, as rows
file_tables these rows as tables of pyarrow
dataset     the schema, and the folders of Parquet files
ingest      files into a dataset
engines     where they are read: a pool of processes, spark or ray
database    DuckDB, and what SQL may be for Spark to answer it, too
            (spark_database)
view        a dataset as tables of a database
questions   overview, stragglers and the other answers, by name
places      hosts and stages that are slow as a whole
collectives late ranks and slow links
bubbles     who waits for others
drift       what becomes slower over the steps
memory      peaks, and ranks that differ
pipeline    what a pipeline would gain without stragglers
asking      what all questions share
op_sums     sums and medians of operations
statistics  limits for what is not noise
output      answers as tables, JSON, CSV and Markdown
page        answers as one HTML page
pictures    its heat map and charts
serving     these pages on a local server
command     the command line `tfprof-fleet`

pyarrow and duckdb are needed: pip install tfprof[fleet]. inputs, reading,
statistics and output work without them.
"""
