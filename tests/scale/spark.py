"""Lines through a command on a local cluster of Spark: `spark.py MASTER IN OUT COMMAND...`. Each partition goes through a
process of its own; what comes out stands in OUT in the order of the lines."""

import os
import shlex
import sys
import time

from pyspark.sql import SparkSession

master, source, target, *command = sys.argv[1:]
spark = SparkSession.builder.master(master).config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
lines = spark.sparkContext.textFile("file://" + os.path.abspath(source), 8)
# Without `checkCode` Spark would take what a process wrote before it failed for all there is.
piped = lines.pipe(shlex.join(command), env=dict(os.environ), checkCode=True)
begun = time.time()
# A file a partition, numbered in the order of the lines.
piped.saveAsTextFile("file://" + os.path.abspath(target))
print(f"{lines.getNumPartitions()} partitions, {time.time() - begun:.1f} s beside the start of the cluster")
spark.stop()
