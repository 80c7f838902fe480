/** Timers, their fires and their queue as the API shows them. */
import { z } from 'zod'
import { COMPARISONS, LOW_FUNDS_RULES, OVERLAPS, TIMER_STATES } from '../../../core/timer/timer.ts'
import { TX_STATES } from '../../../core/transaction/transaction.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { address } from '../values/address.ts'
import { amount } from '../values/amount.ts'
import { bytes, hash } from '../values/bytes.ts'
import { instant } from '../values/instant.ts'

const schedule = z.union([
  z.object({ type: z.literal('timeout'), height: z.int() }),
  z.object({ type: z.literal('interval'), blocks: z.int() }),
  z.object({
    type: z.literal('cron'),
    cron: z.string(),
    time: instant.meta({ description: 'The next time, which `dueHeight` stands for.' }),
  }),
  z.object({ type: z.literal('watch'), keys: z.array(bytes) }),
])

export const timerResource = z.object({
  id: z.string(),
  chainId: z.int(),
  from: address,
  to: address,
  schedule,
  data: bytes,
  value: amount,
  gasLimit: amount,
  bid: amount,
  when: z
    .object({
      to: address,
      data: bytes,
      is: z.enum(COMPARISONS),
      value: z.string().meta({ description: 'Whole number as a decimal string. It can be negative.' }),
    })
    .nullable(),
  overlap: z.enum(OVERLAPS),
  appendDeliverId: z.boolean(),
  onLowFunds: z.enum(LOW_FUNDS_RULES),
  maxFailures: z.int().meta({ description: 'It ends after this many transactions in a row that revert. 0: never.' }),
  state: z.enum(TIMER_STATES),
  endReason: z.string().nullable().meta({ description: 'Why Drover ended it.' }),
  dueHeight: z
    .int()
    .nullable()
    .meta({ description: 'The block at which it fires next. Null: it waits for an event, or it has ended.' }),
  fireCount: z.int(),
  cost: z
    .object({
      sent: z.int().meta({ description: 'Transactions of this timer that are in a block and final.' }),
      reverted: z.int(),
      failures: z.int().meta({
        description: 'How many of the last transactions in a row reverted, on chain or before they were sent.',
      }),
      gasUsed: amount,
      feesPaid: amount.meta({ description: 'Wei.' }),
    })
    .meta({ description: 'What its final transactions have cost, reverted ones included.' }),
  name: z.string().nullable(),
  requestId: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  kernelId: hash.meta({
    description: 'The `timer_id` of CIP-5. It changes when the timer is resumed or gets another schedule.',
  }),
  createdHeight: z.int(),
  createdAt: instant,
  createdBy: z.string(),
})
export type TimerResource = z.infer<typeof timerResource>
resourceSchemas.add(timerResource, { id: 'Timer' })

export const timerPage = z.object({
  items: z.array(timerResource),
  next: z.string().nullable().meta({ description: 'Pass it as `before` to get the next page. Null on the last page.' }),
})
resourceSchemas.add(timerPage, { id: 'TimerPage' })

export const fireResource = z.object({
  id: hash.meta({ description: 'The `deliver_id` of CIP-5, and the request id of the transaction.' }),
  fireKey: hash.meta({ description: 'The same on every branch of the chain.' }),
  fireSeq: z.int(),
  height: z.int(),
  blockHash: hash,
  state: z.enum(['OBSERVED', 'SKIPPED', ...TX_STATES]).meta({
    description:
      '`OBSERVED`: a reorg can still drop it, or its condition is not known yet. `SKIPPED`: nothing is sent. Otherwise it became a transaction, and this is the state of the transaction.',
  }),
  skipReason: z.string().nullable(),
  reason: z.string().nullable().meta({
    description: 'Why its transaction ended `CANCELLED`, `EXPIRED` or `FAILED_FINAL`, in words.',
  }),
  orphaned: z.boolean().meta({
    description:
      'It became a transaction, and then a reorg dropped its block. If the transaction was still `QUEUED`, it is cancelled.',
  }),
  aliases: z.array(hash).meta({ description: 'Ids of the same fire on other branches of the chain.' }),
  trigger: z.object({
    type: z.enum(['timeout', 'interval', 'watch']),
    dueHeight: z.int(),
    matchedKeys: z.array(bytes),
    truncated: z.boolean(),
  }),
  condition: z
    .object({
      outcome: z.enum(['met', 'not_met', 'failed']),
      value: z.string().nullable(),
      message: z.string().nullable(),
    })
    .nullable(),
  data: bytes,
  gasLimit: amount,
  transactionId: z.string().nullable(),
})
export type FireResource = z.infer<typeof fireResource>
resourceSchemas.add(fireResource, { id: 'Fire' })

export const firePage = z.object({
  items: z.array(fireResource),
  next: z.string().nullable().meta({ description: 'Pass it as `before` to get the next page. Null on the last page.' }),
})
resourceSchemas.add(firePage, { id: 'FirePage' })

export const timerQueueResource = z.object({
  height: z.int().meta({ description: 'The next block.' }),
  live: z.int().meta({ description: 'Timers of the chain that can fire.' }),
  maxFiresPerBlock: z.int(),
  maxFiresPerTarget: z.int(),
  maxGas: amount.meta({ description: 'Gas of all fires of a block together.' }),
  items: z.array(
    z.object({
      timerId: z.string().nullable(),
      kernelId: hash,
      from: address,
      to: address,
      dueHeight: z.int(),
      waitedBlocks: z.int(),
      score: z.string(),
      bid: amount,
      gasLimit: amount,
      turn: z.int().meta({ description: "0: the contract's first. Every contract's first goes before any second." }),
      targetLastFired: z.int().meta({ description: 'The block at which a timer of this contract last fired.' }),
      heldBy: z
        .enum(['target_quota', 'block_quota', 'gas'])
        .nullable()
        .meta({ description: 'The limit that keeps it from firing in the next block. Null: it fires.' }),
    }),
  ),
})
export type TimerQueueResource = z.infer<typeof timerQueueResource>
resourceSchemas.add(timerQueueResource, { id: 'TimerQueue' })

export const timerParamsResource = z.object({
  fromHeight: z.int().meta({ description: 'The first block at which they act.' }),
  params: z.record(z.string(), z.unknown()),
})
resourceSchemas.add(timerParamsResource, { id: 'TimerParams' })
