/**
 * `drover tx show`, `explain`, `history`, `attempts` and `confirmations`: everything that is known about one
 * transaction.
 */
import type { Attempt, Confirmations, DroverEvent, Explanation, Receipt } from '@drover/client'
import { formatAmount, formatGwei } from '@drover/server/core'
import { readCount } from '../option-value.ts'
import { presentDetail } from '../output/present-detail.ts'
import { presentFields } from '../output/present-fields.ts'
import { presentTable } from '../output/present-table.ts'
import { type Style, shorten, toVisible } from '../output/style.ts'
import type { ServiceCommand } from '../service/service-command.ts'
import { presentTransaction } from './present-transaction.ts'

const ID = '<id>'
const idOf = (args: readonly string[]) => ({ params: { id: args[0] ?? '' } })

export const showCommand: ServiceCommand = {
  name: `show ${ID}`,
  description: 'show a transaction, by id or hash',
  examples: ['drover tx show 01990a5e-…', 'drover tx show 0x5e1d… --json'],
  async run({ drover, signal, style, print }, { args }) {
    const { snapshot: tx } = await drover.transactions.get(args[0] ?? '', { signal })
    print(tx, () => presentTransaction(tx, style))
    return undefined
  },
}

export const explainCommand: ServiceCommand = {
  name: `explain ${ID}`,
  description: 'explain the state of a transaction, what happens next, and what you can do',
  examples: ['drover tx explain 01990a5e-…'],
  async run({ drover, signal, style, print }, { args }) {
    const explanation = await drover.request('GET /v1/transactions/{id}/explain', idOf(args), { signal })
    print(explanation, () => presentExplanation(explanation, args[0] ?? '', style))
    return undefined
  },
}

function presentExplanation(explanation: Explanation, id: string, style: Style): string {
  const { summary, cause, revertReason, nextAction, nextActionAt, options, advice, runbook } = explanation
  const head = presentFields(
    [
      ['why', summary],
      ['cause', cause],
      ['revert reason', revertReason ?? null],
      ['next', nextActionAt === null ? nextAction : `${nextAction} (${nextActionAt})`],
      ['what to do', advice],
      ['runbook', runbook],
    ],
    style,
  )
  if (options.length === 0) return head
  const commands = options.flatMap(({ action, effect }) => [
    `  drover tx ${action.replaceAll('_', '-')} ${id} --reason "…"${action === 'resolve' ? ' --hash 0x…' : ''}`,
    style.paint('dim', `      ${toVisible(effect)}`),
  ])
  return [head, '', 'What you can do:', ...commands].join('\n')
}

export const historyCommand: ServiceCommand = {
  name: `history ${ID}`,
  description: 'show the history of a transaction, oldest first',
  examples: ['drover tx history 01990a5e-…', 'drover tx history 01990a5e-… --newest-first --limit 20'],
  configure(command) {
    command
      .option('--newest-first', 'newest first')
      .option('--limit <count>', 'maximum number', readCount(1, 200), 200)
      .option('--after <cursor>', 'continue from `next` of the last page', readCount(0, Number.MAX_SAFE_INTEGER))
  },
  async run({ drover, signal, style, print, note, json }, command) {
    const { newestFirst, limit, after } = command.opts<{ newestFirst?: boolean; limit: number; after?: number }>()
    const query = { order: newestFirst ? 'desc' : 'asc', limit, ...(after !== undefined && { after }) } as const
    const input = { ...idOf(command.args), query }
    const { items, next } = await drover.request('GET /v1/transactions/{id}/history', input, { signal })
    print({ items, next }, () => presentHistory(items, style))
    if (next !== null && !json) note(`There are more. Use --after ${next}.`)
    return undefined
  },
}

function presentHistory(items: readonly DroverEvent[], style: Style): string {
  return presentTable<DroverEvent>(
    [
      { heading: 'AT', cell: ({ at }) => at },
      { heading: 'EVENT', cell: ({ type, count }) => (count > 1 ? `${type} ×${count}` : type) },
      { heading: 'STATE', cell: ({ toState, subState }) => [toState, subState].filter(Boolean).join(' ') },
      { heading: 'CAUSE', cell: ({ cause }) => cause ?? '' },
      { heading: 'DETAIL', cell: ({ detail }) => presentDetail(detail) },
    ],
    items,
    style,
  )
}

export const receiptCommand: ServiceCommand = {
  name: `receipt ${ID}`,
  description: 'show the receipt of a mined transaction',
  examples: ['drover tx receipt 01990a5e-…', 'drover tx receipt 01990a5e-… --logs --json'],
  configure(command) {
    command.option('--logs', 'include the logs, read from the RPC node')
  },
  async run({ drover, signal, style, print }, command) {
    const { logs = false } = command.opts<{ logs?: boolean }>()
    const input = { ...idOf(command.args), query: logs ? ({ include: 'logs' } as const) : {} }
    const receipt = await drover.request('GET /v1/transactions/{id}/receipt', input, { signal })
    print(receipt, () => presentReceipt(receipt, style))
    return undefined
  },
}

function presentReceipt(receipt: Receipt, style: Style): string {
  const { logs = [], logCount, ...fields } = receipt
  const head = presentFields(
    [
      ['status', fields.status],
      ['hash', fields.transactionHash],
      ['block', `${fields.blockNumber} ${fields.blockHash}`],
      ['gas used', fields.gasUsed],
      ['fee', `${formatAmount(fields.fee)} (${formatGwei(fields.effectiveGasPrice)} per gas)`],
      ['contract', fields.contractAddress ?? 'none'],
      ...(logCount === undefined ? [] : ([['logs', String(logCount)]] as const)),
    ],
    style,
  )
  const lines = logs.map(({ logIndex, address, topics, data }) => [logIndex, address, ...topics, data].join('  '))
  return [head, ...lines].join('\n')
}

export const attemptsCommand: ServiceCommand = {
  name: `attempts ${ID}`,
  description: 'list the signed attempts of a transaction, oldest first',
  examples: ['drover tx attempts 01990a5e-… --json'],
  async run({ drover, signal, style, print }, { args }) {
    const { items } = await drover.request('GET /v1/transactions/{id}/attempts', idOf(args), { signal })
    print({ items }, () => (items.length === 0 ? 'Nothing is signed yet.' : presentAttempts(items, style)))
    return undefined
  },
}

function presentAttempts(items: readonly Attempt[], style: Style): string {
  return presentTable<Attempt>(
    [
      { heading: 'KIND', cell: ({ kind }) => kind },
      { heading: 'NONCE', align: 'right', cell: ({ nonce }) => String(nonce) },
      { heading: 'PRICE', align: 'right', cell: presentPrice },
      { heading: 'SIGNED', cell: ({ createdAt }) => createdAt },
      { heading: 'HASH', cell: ({ hash }) => shorten(hash, style) },
    ],
    items,
    style,
  )
}

function presentPrice({ fees }: Attempt): string {
  const price = 'gasPrice' in fees ? fees.gasPrice : fees.maxFeePerGas
  return price === undefined ? '' : formatGwei(price)
}

export const confirmationsCommand: ServiceCommand = {
  name: `confirmations ${ID}`,
  description: 'list the confirmations of a transaction: the blocks on top of it',
  examples: ['drover tx confirmations 01990a5e-…'],
  async run({ drover, signal, style, print }, { args }) {
    const answer = await drover.request('GET /v1/transactions/{id}/confirmations', idOf(args), { signal })
    print(answer, () => presentConfirmations(answer, style))
    return undefined
  },
}

function presentConfirmations({ required, count, final, newForks, items }: Confirmations, style: Style): string {
  const head = presentFields(
    [
      ['confirmations', `${count} of ${required}`],
      ['final', final ? 'yes' : 'no'],
      ['forks', newForks],
    ],
    style,
  )
  const blocks = items.map(({ blockNumber, blockHash }) => `${blockNumber}  ${blockHash}`)
  return [head, ...blocks].join('\n')
}
