"""Pipes lines through a command on a local Spark cluster: `spark.py MASTER IN OUT COMMAND...`. Each partition has a separate
process. The results are in OUT in the order of the lines."""

import os
import shlex
import sys
import time

from pyspark.sql import SparkSession

master, source, target, *command = sys.argv[1:]
spark = SparkSession.builder.master(master).config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
lines = spark.sparkContext.textFile("file://" + os.path.abspath(source), 8)
# Without `checkCode`, Spark accepts the partial output of a failed process.
piped = lines.pipe(shlex.join(command), env=dict(os.environ), checkCode=True)
begun = time.time()
# One file per partition, numbered in the order of the lines.
piped.saveAsTextFile("file://" + os.path.abspath(target))
print(f"{lines.getNumPartitions()} partitions, {time.time() - begun:.1f} s without the start of the cluster")
spark.stop()
