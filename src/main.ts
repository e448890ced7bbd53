process.stdout.write("hopbook\n");
