/** What the commands for keys in the database and in a keystore folder do. A private key comes from a file or stdin, never from an argument. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { openKeystoreAdmin, openSignerAdmin, type SignerAdmin, type WrittenSigner } from '@drover/server/admin'
import { AppError } from '@drover/server/core'
import { type ConfigInput, ConfigProblems, resolveSettings } from '@drover/server/settings'
import type { Command } from 'commander'
import { type CommandContext, printLine } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { readConfigInput } from '../setup/setting-flags.ts'
import { presentRotation } from './present-rotation.ts'

export type SignerKeyAction = 'create' | 'import' | 'rotate-master'

interface Result {
  readonly value: object
  readonly words: string
}

type Action = (admin: SignerAdmin, command: Command, folder: string) => Promise<Result>

const ACTIONS: Readonly<Record<SignerKeyAction, Action>> = {
  create: async (admin) => {
    const value = await admin.create()
    return { value, words: `Created ${value.address}. Send funds to it before you use it.` }
  },
  import: async (admin, command, folder) => {
    const value = await admin.import(await readGivenKey(command, folder))
    const words = value.isNew ? `Imported ${value.address}.` : `${value.address} is there already.`
    return { value, words }
  },
  'rotate-master': async (admin) => {
    const value = await admin.rotate()
    return { value, words: presentRotation(value) }
  },
}

const NO_PLACE =
  'is required: set DROVER_MASTER_KEY for keys in the database, or DROVER_KEYSTORE_DIR and DROVER_KEYSTORE_PASSWORD for encrypted files'

export async function runSignerKeyAction(
  action: SignerKeyAction,
  command: Command,
  context: CommandContext,
): Promise<void> {
  const input = await readConfigInput(command, context)
  const { stderr } = context.terminal
  const warn = (message: string) => void stderr.write(`warning: ${message}\n`)
  try {
    const { value, words } = await run(action, command, { input, folder: context.terminal.folder, warn })
    printLine(context, command.opts<{ json?: boolean }>().json === true ? JSON.stringify(value) : words)
    context.finish(EXIT.ok)
  } catch (error) {
    if (error instanceof ConfigProblems || !(error instanceof Error)) throw error
    stderr.write(`error: ${context.redactor.redact(error.message)}\n`)
    context.finish(error instanceof AppError ? EXIT.usage : EXIT.failure)
  }
}

interface Around {
  readonly input: ConfigInput
  readonly folder: string
  warn(message: string): void
}

async function run(action: SignerKeyAction, command: Command, { input, folder, warn }: Around): Promise<Result> {
  const { values, problems: wrong } = resolveSettings({ ...input, required: [] })
  if (wrong.length > 0) throw new ConfigProblems(wrong)
  const { keystoreDir = null, keystorePassword = null, masterKey = [] } = values
  const isWanted = command.opts<{ keystore?: boolean }>().keystore === true
  if (action !== 'rotate-master' && (isWanted || (masterKey.length === 0 && keystoreDir !== null))) {
    if (keystoreDir === null || keystorePassword === null)
      throw new ConfigProblems([
        { place: 'keystoreDir', message: 'set DROVER_KEYSTORE_DIR and DROVER_KEYSTORE_PASSWORD' },
      ])
    const admin = await openKeystoreAdmin({ folder: resolve(folder, keystoreDir), password: keystorePassword, warn })
    if (action === 'import') return presentWritten('Imported', await admin.import(await readGivenKey(command, folder)))
    return presentWritten('Created', await admin.create())
  }
  if (masterKey.length === 0) throw new ConfigProblems([{ place: 'masterKey', message: NO_PLACE }])
  const { values: given, problems } = resolveSettings({ ...input, required: ['databaseUrl'] })
  if (problems.length > 0 || given.databaseUrl === undefined) throw new ConfigProblems(problems)
  const admin = await openSignerAdmin({ databaseUrl: given.databaseUrl, masterKeys: masterKey, warn })
  try {
    return await ACTIONS[action](admin, command, folder)
  } finally {
    await admin.close()
  }
}

function presentWritten(done: string, value: WrittenSigner): Result {
  const { address, file, isNew } = value
  return {
    value,
    words: isNew
      ? `${done} ${address} in ${file}. Back up this file and its password.`
      : `${address} is there already: ${file}`,
  }
}

async function readGivenKey(command: Command, folder: string): Promise<string> {
  const { file } = command.opts<{ file?: string }>()
  return file === undefined ? await readAll(process.stdin) : await readKeyFile(folder, file)
}

async function readKeyFile(folder: string, name: string): Promise<string> {
  return await readFile(resolve(folder, name), 'utf8').catch(() => {
    throw new AppError('invalid_request', `Cannot read ${name}.`)
  })
}
