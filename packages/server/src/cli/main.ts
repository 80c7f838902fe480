#!/usr/bin/env node
/** The `drover` program. */
import { runCli } from './run-cli.ts'
import { createProcessTerminal } from './terminal.ts'

// A reader that has seen enough (`drover config | head`) is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

process.exit(await runCli(process.argv.slice(2), createProcessTerminal()))
