/** What the commands for keys in the database do. A private key comes from a file or stdin, never from an argument. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { openSignerAdmin, type SignerAdmin } from '@drover/server/admin'
import { AppError } from '@drover/server/core'
import { ConfigProblems, resolveSettings } from '@drover/server/settings'
import type { Command } from 'commander'
import { type CommandContext, printLine } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { readConfigInput } from '../setup/setting-flags.ts'
import { presentRotation } from './present-rotation.ts'

export type SignerKeyAction = 'create' | 'import' | 'rotate-master'

type Action = (
  admin: SignerAdmin,
  command: Command,
  folder: string,
) => Promise<{ readonly value: object; readonly words: string }>

const ACTIONS: Readonly<Record<SignerKeyAction, Action>> = {
  create: async (admin) => {
    const value = await admin.create()
    return { value, words: `Created ${value.address}. Send funds to it before you use it.` }
  },
  import: async (admin, command, folder) => {
    const { file } = command.opts<{ file?: string }>()
    const value = await admin.import(
      file === undefined ? await readAll(process.stdin) : await readKeyFile(folder, file),
    )
    const words = value.isNew ? `Imported ${value.address}.` : `${value.address} is there already.`
    return { value, words }
  },
  'rotate-master': async (admin) => {
    const value = await admin.rotate()
    return { value, words: presentRotation(value) }
  },
}

export async function runSignerKeyAction(
  action: SignerKeyAction,
  command: Command,
  context: CommandContext,
): Promise<void> {
  const input = await readConfigInput(command, context)
  const { values, problems } = resolveSettings({ ...input, required: ['databaseUrl'] })
  const { databaseUrl, masterKey = [] } = values
  if (problems.length > 0 || databaseUrl === undefined) throw new ConfigProblems(problems)
  if (masterKey.length === 0)
    throw new ConfigProblems([{ place: 'masterKey', message: 'is required: set DROVER_MASTER_KEY' }])
  const { stderr } = context.terminal
  const warn = (message: string) => void stderr.write(`warning: ${message}\n`)
  const fail = (error: unknown): void => {
    if (!(error instanceof Error)) throw error
    stderr.write(`error: ${context.redactor.redact(error.message)}\n`)
    context.finish(error instanceof AppError ? EXIT.usage : EXIT.failure)
  }
  let admin: SignerAdmin | null = null
  try {
    admin = await openSignerAdmin({ databaseUrl, masterKeys: masterKey, warn })
    const { value, words } = await ACTIONS[action](admin, command, context.terminal.folder)
    printLine(context, command.opts<{ json?: boolean }>().json === true ? JSON.stringify(value) : words)
    context.finish(EXIT.ok)
  } catch (error) {
    fail(error)
  } finally {
    await admin?.close()
  }
}

async function readKeyFile(folder: string, name: string): Promise<string> {
  return await readFile(resolve(folder, name), 'utf8').catch(() => {
    throw new AppError('invalid_request', `Cannot read ${name}.`)
  })
}
