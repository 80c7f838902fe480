/** What the key commands do, once they are known to be meant. */

import { type KeyAdmin, openKeyAdmin } from '@drover/server/admin'
import type { ApiKeyResource } from '@drover/server/contract'
import { AppError, formatAmount } from '@drover/server/core'
import { ConfigProblems, resolveSettings } from '@drover/server/settings'
import type { Command } from 'commander'
import { type CommandContext, printLine } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { presentFields } from '../output/present-fields.ts'
import { type Column, presentTable } from '../output/present-table.ts'
import { createStyle, toVisible } from '../output/style.ts'
import { readConfigInput } from './setting-flags.ts'

interface CreateOptions {
  readonly name: string
  readonly scope: string
  readonly signer?: readonly string[]
  readonly chain?: readonly number[]
  readonly tenant?: string
  readonly rate?: number
  readonly burst?: number
  readonly maxTxFee?: string
  readonly expires?: string
}

export type KeyAction = 'create' | 'list' | 'revoke'

const ACTIONS: Readonly<Record<KeyAction, typeof createKey>> = {
  create: createKey,
  list: listKeys,
  revoke: revokeKey,
}

export async function runKeyAction(action: KeyAction, command: Command, context: CommandContext): Promise<void> {
  const input = await readConfigInput(command, context)
  const { values, problems } = resolveSettings({ ...input, required: ['databaseUrl'] })
  if (problems.length > 0 || values.databaseUrl === undefined) throw new ConfigProblems(problems)
  const keys = await openKeyAdmin(values.databaseUrl)
  try {
    await ACTIONS[action](command, context, keys)
    context.finish(EXIT.ok)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    context.terminal.stderr.write(`error: ${context.redactor.redact(error.message)}\n`)
    context.finish(error.code === 'invalid_request' ? EXIT.usage : EXIT.failure)
  } finally {
    await keys.close()
  }
}

async function createKey(command: Command, context: CommandContext, keys: KeyAdmin): Promise<void> {
  const { name, tenant, scope, signer, chain, rate, burst, maxTxFee, expires } = command.opts<CreateOptions>()
  if (burst !== undefined && rate === undefined) {
    throw new AppError('invalid_request', '--burst needs --rate.', { field: 'rate' })
  }
  const key = await keys.create({
    name,
    scopes: scope.split(',').map((part) => part.trim()),
    ...(tenant !== undefined && { tenant }),
    ...(signer !== undefined && { signers: signer }),
    ...(chain !== undefined && { chains: chain }),
    ...(rate !== undefined && { rate: { perSecond: rate, ...(burst !== undefined && { burst }) } }),
    ...(maxTxFee !== undefined && { maxTxFee }),
    ...(expires !== undefined && { expiresAt: expires }),
  })
  print(command, context, key, () => presentNew(key, context))
}

async function listKeys(command: Command, context: CommandContext, keys: KeyAdmin): Promise<void> {
  const items = await keys.list()
  const { stdout, env } = context.terminal
  print(command, context, { items }, () =>
    items.length === 0 ? 'No API keys.' : presentTable(COLUMNS, items, createStyle(stdout, env, true)),
  )
}

async function revokeKey(command: Command, context: CommandContext, keys: KeyAdmin): Promise<void> {
  const { key, isLast } = await keys.revoke(String(command.args[0]))
  print(command, context, key, () => `Revoked ${key.id} (${toVisible(key.name)}).`)
  if (!isLast) return
  context.terminal.stderr.write('No key with the scope admin is left. Create one with "drover key create".\n')
}

function print(command: Command, context: CommandContext, value: unknown, forPeople: () => string): void {
  printLine(context, command.opts<{ json?: boolean }>().json === true ? JSON.stringify(value) : forPeople())
}

function presentNew(key: ApiKeyResource & { readonly token: string }, { terminal }: CommandContext): string {
  const fields = presentFields(
    [
      ['id', key.id],
      ['name', key.name],
      ['tenant', key.tenant],
      ['scopes', key.scopes.join(', ')],
      ['signers', key.signers?.join(', ')],
      ['chains', key.chains?.join(', ')],
      ['rate', key.rate && `${key.rate.perSecond} per second, ${key.rate.burst} at once`],
      ['max tx fee', key.maxTxFee && formatAmount(key.maxTxFee)],
      ['expires', key.expiresAt],
      ['token', key.token],
    ],
    createStyle(terminal.stdout, terminal.env, true),
  )
  return `${fields}\n\nSave the token now: it is not shown again. Send it as "Authorization: Bearer <token>".`
}

const COLUMNS: readonly Column<ApiKeyResource>[] = [
  { heading: 'ID', isWhole: true, cell: ({ id }) => id },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'SCOPES', cell: ({ scopes }) => scopes.join(',') },
  { heading: 'STATE', cell: presentState },
  { heading: 'TENANT', isSpare: true, cell: ({ tenant }) => tenant },
  { heading: 'SIGNERS', isSpare: true, cell: ({ signers }) => signers?.join(',') ?? 'all' },
  { heading: 'CHAINS', isSpare: true, cell: ({ chains }) => chains?.join(',') ?? 'all' },
  { heading: 'LAST USED', isSpare: true, cell: ({ lastUsedAt }) => lastUsedAt ?? 'never' },
]

function presentState({ revokedAt, expiresAt }: ApiKeyResource): { text: string; colour: 'red' | 'green' | 'yellow' } {
  if (revokedAt !== null) return { text: 'revoked', colour: 'red' }
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return { text: 'expired', colour: 'yellow' }
  return { text: 'active', colour: 'green' }
}
