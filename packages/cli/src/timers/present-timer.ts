/** Timers, fires and the queue for people. */
import type { Answer } from '@drover/client'
import { formatAmount } from '@drover/server/core'
import { presentFields } from '../output/present-fields.ts'
import { type Cell, presentTable } from '../output/present-table.ts'
import type { Style } from '../output/style.ts'

type Timer = Answer<'GET /v1/timers/{id}'>
type Fire = Answer<'GET /v1/timers/{id}/fires'>['items'][number]
type Queue = Answer<'GET /v1/timers/queue'>

export function presentTimers(items: readonly Timer[], style: Style): string {
  return presentTable<Timer>(
    [
      { heading: 'ID', isWhole: true, cell: ({ id }) => id },
      { heading: 'STATE', cell: stateCell },
      { heading: 'FIRES', cell: spellSchedule },
      { heading: 'NEXT BLOCK', align: 'right', cell: ({ dueHeight }) => String(dueHeight ?? '') },
      { heading: 'COUNT', align: 'right', cell: ({ fireCount }) => String(fireCount) },
      { heading: 'TO', cell: ({ to }) => to },
      { heading: 'NAME', isSpare: true, cell: ({ name }) => name ?? '' },
    ],
    items,
    style,
  )
}

function stateCell({ state }: Timer): Cell {
  return { text: state, colour: state === 'ACTIVE' ? 'green' : 'dim' }
}

function spellSchedule({ schedule }: Timer): string {
  switch (schedule.type) {
    case 'timeout':
      return `at block ${schedule.height}`
    case 'interval':
      return schedule.blocks === 1 ? 'every block' : `every ${schedule.blocks} blocks`
    case 'cron':
      return `by cron ${schedule.cron}`
    case 'watch':
      return `on ${schedule.keys.length === 1 ? 'an event' : `${schedule.keys.length} keys`}`
  }
}

export function presentTimer(timer: Timer, style: Style): string {
  const { when, schedule } = timer
  return presentFields(
    [
      ['id', timer.id],
      ['name', timer.name],
      ['state', timer.endReason === null ? timer.state : `${timer.state} (${timer.endReason})`],
      ['fires', spellSchedule(timer)],
      ['watched keys', schedule.type === 'watch' ? schedule.keys.join(', ') : null],
      ['next time', schedule.type === 'cron' ? schedule.time : null],
      ['next block', timer.dueHeight],
      ['fired', timer.fireCount],
      ['cost', spellCost(timer)],
      ['chain', timer.chainId],
      ['from', timer.from],
      ['to', timer.to],
      ['data', timer.data],
      ['value', timer.value === '0' ? null : timer.value],
      ['gas limit', timer.gasLimit],
      ['bid', timer.bid === '0' ? null : timer.bid],
      ['only if', when === null ? null : `${when.to} ${when.data} ${when.is} ${when.value}`],
      ['overlap', timer.overlap],
      ['on low funds', timer.onLowFunds],
      ['ends after', timer.maxFailures === 0 ? null : `${timer.maxFailures} reverts in a row`],
      ['request id', timer.requestId],
      ['created', `${timer.createdAt} by ${timer.createdBy}`],
    ],
    style,
  )
}

function spellCost({ cost }: Timer): string {
  const reverted = cost.reverted === 0 ? '' : `, ${cost.reverted} reverted`
  return `${cost.sent} final${reverted}, ${BigInt(cost.gasUsed).toLocaleString('en-US')} gas, ${formatAmount(cost.feesPaid)}`
}

export function presentFires(items: readonly Fire[], style: Style): string {
  return presentTable<Fire>(
    [
      { heading: 'BLOCK', align: 'right', cell: ({ height }) => String(height) },
      { heading: 'STATE', cell: ({ state, orphaned }) => (orphaned ? `${state} (orphaned)` : state) },
      { heading: 'TRANSACTION', isWhole: true, cell: ({ transactionId }) => transactionId ?? '' },
      { heading: 'REASON', cell: ({ skipReason, reason }) => skipReason ?? reason ?? '' },
      { heading: 'CONDITION', cell: ({ condition }) => spellCondition(condition) },
      { heading: 'MATCHED', align: 'right', isSpare: true, cell: ({ trigger }) => String(trigger.matchedKeys.length) },
    ],
    items,
    style,
  )
}

function spellCondition(condition: Fire['condition']): string {
  if (condition === null) return ''
  return condition.value === null ? condition.outcome : `${condition.outcome} (${condition.value})`
}

const HELD_BY = {
  target_quota: 'waits: limit per contract',
  block_quota: 'waits: limit per block',
  gas: 'waits: gas per block',
} as const

export function presentQueue(queue: Queue, style: Style): string {
  const gas = BigInt(queue.maxGas).toLocaleString('en-US')
  const live = queue.live === 1 ? '1 timer' : `${queue.live} timers`
  const rule = `Block ${queue.height}: at most ${queue.maxFiresPerBlock} fires, ${queue.maxFiresPerTarget} per contract, ${gas} gas. ${live} can fire.`
  if (queue.items.length === 0) return `${rule}\nNo timer is due.`
  const table = presentTable<Queue['items'][number]>(
    [
      { heading: 'TIMER', isWhole: true, cell: ({ timerId, kernelId }) => timerId ?? kernelId },
      { heading: 'NEXT', cell: ({ heldBy }) => (heldBy === null ? 'fires' : HELD_BY[heldBy]) },
      { heading: 'DUE', align: 'right', cell: ({ dueHeight }) => String(dueHeight) },
      { heading: 'WAITED', align: 'right', cell: ({ waitedBlocks }) => String(waitedBlocks) },
      { heading: 'TO', cell: ({ to }) => to },
      { heading: 'SCORE', align: 'right', isSpare: true, cell: ({ score }) => score },
    ],
    queue.items,
    style,
  )
  return `${rule}\n${table}`
}
