#!/usr/bin/env node
import { createProcessTerminal } from './output/terminal.ts'
/** The `drover` program. */
import { runCli } from './run-cli.ts'

// A reader that has seen enough (`drover config | head`) is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

process.exit(await runCli(process.argv.slice(2), createProcessTerminal()))
