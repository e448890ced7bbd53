// npm run bench -- <name> [--json] [--tiny]: runs one bench, or all of them.
process.stdout.write("no benches yet\n");
