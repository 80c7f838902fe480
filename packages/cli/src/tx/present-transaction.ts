/** Transactions for people: as a row of a table, as a page of fields, and as steps that light up one after the other. */
import { assessWait, type Stage, type Transaction } from '@drover/client'
import { formatAmount, formatGwei, spellDuration } from '@drover/server/core'
import { type Field, presentFields } from '../output/present-fields.ts'
import { type Cell, type Column, presentTable } from '../output/present-table.ts'
import { type Colour, type Style, shorten, toVisible } from '../output/style.ts'
import { listSteps } from './stages.ts'

const STATE_COLOURS: Readonly<Record<Transaction['state'], Colour>> = {
  QUEUED: 'dim',
  ALLOCATED: 'cyan',
  TRACKING: 'cyan',
  CONFIRMED: 'green',
  FAILED_FINAL: 'red',
  STUCK: 'yellow',
  CANCELLED: 'dim',
  EXPIRED: 'dim',
}

export function stateCell({ state, subState }: Pick<Transaction, 'state' | 'subState'>): Cell {
  return { text: `${state} ${subState}`, colour: STATE_COLOURS[state] }
}

export function presentTransactions(items: readonly Transaction[], style: Style, now: number): string {
  if (items.length === 0) return 'No matching transactions.'
  const columns: readonly Column<Transaction>[] = [
    { heading: 'ID', isWhole: true, cell: ({ id }) => id },
    { heading: 'STATE', cell: stateCell },
    { heading: 'NONCE', align: 'right', cell: ({ nonce }) => (nonce === null ? '-' : String(nonce)) },
    { heading: 'FROM', isSpare: true, cell: ({ from }) => shorten(from, style) },
    { heading: 'TO', cell: ({ to }) => (to === null ? 'new contract' : shorten(to, style)) },
    { heading: 'VALUE', align: 'right', cell: ({ value }) => formatAmount(value) },
    { heading: 'AGE', align: 'right', cell: ({ createdAt }) => spellDuration(now - Date.parse(createdAt)) },
    { heading: 'HASH', isSpare: true, cell: ({ hash }) => (hash === null ? '-' : shorten(hash, style)) },
  ]
  return presentTable(columns, items, style)
}

export function presentTransaction(tx: Transaction, style: Style): string {
  const { receipt, inclusion, confirmations, error } = tx
  const fields: readonly Field[] = [
    ['id', tx.id],
    ['state', `${tx.state} (${tx.subState})`],
    ['chain', tx.chainId],
    ['from', tx.from],
    ['to', tx.to ?? 'a new contract'],
    ['value', formatAmount(tx.value)],
    ['data', tx.data === '0x' ? null : tx.data],
    ['access list', presentAccessList(tx)],
    ['nonce', tx.nonce],
    ['gas limit', tx.gasLimit],
    ['price', presentPrice(tx)],
    ['priority', tx.priority === 0 ? null : tx.priority],
    ['not before', presentNotBefore(tx)],
    ['valid until', tx.validUntil],
    ['approval', presentApproval(tx)],
    ['hash', tx.hash],
    ['other hashes', tx.hashes.filter((hash) => hash !== tx.hash).join(' ')],
    ['block', inclusion === null ? null : `${inclusion.blockNumber} ${inclusion.blockHash}`],
    ['result', receipt?.status],
    ['contract', receipt?.contractAddress],
    ['cost', receipt && `${formatAmount(receipt.fee)} (${receipt.gasUsed} gas)`],
    ['confirmations', inclusion === null ? null : `${confirmations.count} of ${confirmations.required}`],
    ['error', error === null ? null : `${error.code}: ${error.message}${error.reason ? ` (${error.reason})` : ''}`],
    ['request id', tx.requestId],
    ...Object.entries(tx.metadata).map(([name, value]): Field => [`metadata ${name}`, value]),
    ['accepted', tx.createdAt],
    ['suspended', tx.suspended ? 'by an operator' : null],
    ['sent', tx.submittedAt],
    ['last sent', tx.submitCount > 1 ? `${tx.lastSubmitAt}, ${tx.submitCount} times in total` : null],
    ['next send', tx.nextResubmitAt],
    ['stuck', tx.stuckAt],
    ['mined', tx.minedAt],
    ['final', tx.finalAt],
    ['node', tx.node],
  ]
  return presentFields(fields, style)
}

/** What was asked for; the market decides the rest. */
function presentPrice({ fees, speed }: Transaction): string {
  if (fees === null) return `market, ${speed}`
  const named = Object.entries(fees).filter(([, wei]) => wei !== null)
  return named.map(([name, wei]) => `${name} ${formatGwei(wei ?? '0')}`).join(', ') || `market, ${speed}`
}

const NAME_WIDTH = 'confirmations'.length

/** Several lines; the first step that is not reached is the one that is worked on. */
export function presentSteps(tx: Transaction, until: Stage, style: Style): readonly string[] {
  const steps = listSteps(tx)
  const current = steps.findIndex(({ reached }) => !reached)
  const hasFailed = assessWait(tx, until) === 'failed'
  const lines = steps.map(({ name, reached, detail }, index) => {
    if (reached) return `${style.paint('green', '●')} ${name.padEnd(NAME_WIDTH)}  ${toVisible(detail)}`
    if (index !== current) return style.paint('dim', `· ${name}`)
    const [mark, colour] = hasFailed ? (['✗', 'red'] as const) : (['○', 'yellow'] as const)
    const said = detail === '' ? tx.subState.replaceAll('_', ' ') : detail
    return `${style.paint(colour, mark)} ${name.padEnd(NAME_WIDTH)}  ${said}`
  })
  return hasFailed ? [...lines, style.paint('red', describeEnd(tx))] : lines
}

/** One line, for logs and pipes. */
export function presentStepLine(tx: Transaction): string {
  const last = listSteps(tx).findLast(({ reached }) => reached)
  const detail = last?.name === 'accepted' || last === undefined ? '' : ` ${last.detail}`
  return `${tx.id} ${last?.name ?? tx.state}${detail} (${tx.state} ${tx.subState})`
}

function describeEnd(tx: Transaction): string {
  const why = tx.error === null ? '' : `: ${toVisible(tx.error.reason ?? tx.error.message)}`
  return `${tx.state} (${tx.subState})${why}`
}

function presentApproval({ approval }: Transaction): string | null {
  if (approval === null) return null
  const given = approval.votes.map(({ name }) => name).join(', ')
  const soFar = given === '' ? 'nobody yet' : `approved by ${given}`
  return approval.missing === 0 ? soFar : `${approval.missing} missing until ${approval.expiresAt} (${soFar})`
}

function presentNotBefore({ notBefore }: Transaction): string | null {
  if (notBefore === null) return null
  return 'height' in notBefore ? `block ${notBefore.height}` : notBefore.time
}

/** It may be long; `--json` has it whole. */
function presentAccessList({ accessList }: Transaction): string | null {
  if (accessList === null || accessList === undefined) return null
  const keys = accessList.reduce((count, { storageKeys }) => count + storageKeys.length, 0)
  const addresses = accessList.length === 1 ? '1 address' : `${accessList.length} addresses`
  return `${addresses}, ${keys === 1 ? '1 storage key' : `${keys} storage keys`}`
}
