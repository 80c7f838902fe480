/** The body of `POST /v1/timers`, and what can be changed about a timer. */
import { z } from 'zod'
import { byteLength, type Hex } from '../../../core/hex.ts'
import { COMPARISONS, type Condition, LOW_FUNDS_RULES, OVERLAPS } from '../../../core/timer/timer.ts'
import type { WantedSchedule } from '../../../engine/timers/resolve-schedule.ts'
import type { NewTimer } from '../../../engine/timers/timers.ts'
import { requestSchemas } from '../api-schemas.ts'
import { addressInput } from '../values/address.ts'
import { amountInput } from '../values/amount.ts'
import { bytesInput } from '../values/bytes.ts'
import { CallProblem, encodeCall, parseSignature } from '../values/encode-call.ts'
import { textInput } from '../values/text.ts'
import { contractKey, eventKey, isLogKey } from '../values/watch-key.ts'
import { callInput, MAX_GAS, MIN_GAS, metadataInput, requestIdInput } from './transaction-request.ts'

/** Less than the kernel accepts. The kernel reports that itself. */
const MAX_DATA_BYTES = 128 * 1024
const MAX_KEYS = 16
const MAX_HEIGHT = Number.MAX_SAFE_INTEGER
const MAX_BLOCKS = 2 ** 32 - 1

const blocks = z.int().min(1).max(MAX_BLOCKS)
const minutes = z
  .int()
  .min(1)
  .max(10_000_000)
  .meta({ description: 'Converted to blocks once, by the block time of the chain, and rounded up.' })

const timeout = z
  .strictObject({
    type: z.literal('timeout'),
    height: z.int().min(1).max(MAX_HEIGHT).optional().meta({ description: 'Fires at this block.' }),
    blocks: blocks.optional().meta({ description: 'Fires this many blocks after the head.' }),
    minutes: minutes.optional(),
  })
  .refine((given) => countGiven(given.height, given.blocks, given.minutes) === 1, {
    error: 'must have exactly one of height, blocks and minutes',
  })

const interval = z
  .strictObject({
    type: z.literal('interval'),
    blocks: blocks.optional().meta({ description: 'Fires every so many blocks.' }),
    minutes: minutes.optional(),
  })
  .refine((given) => countGiven(given.blocks, given.minutes) === 1, {
    error: 'must have exactly one of blocks and minutes',
  })

const cron = z.strictObject({
  type: z.literal('cron'),
  cron: z
    .string()
    .min(1)
    .max(200)
    .meta({
      description:
        'Five fields or a nickname such as `@daily`, in UTC. The next time is converted to a block when the timer is set, and again after each fire.',
      examples: ['0 9 * * mon-fri', '@daily'],
    }),
})

const watch = z
  .strictObject({
    type: z.literal('watch'),
    contract: addressInput.optional().meta({ description: 'The contract whose events are watched.' }),
    event: z
      .string()
      .min(3)
      .max(1_000)
      .optional()
      .meta({
        description: 'Event signature. Without it, every event of the contract fires the timer.',
        examples: ['Transfer(address indexed from, address indexed to, uint256 value)'],
      }),
    args: z
      .array(z.unknown())
      .max(3)
      .optional()
      .meta({ description: 'The first indexed arguments, in order. Only events with these values fire the timer.' }),
    keys: z
      .array(bytesInput(128))
      .min(1)
      .max(MAX_KEYS)
      .optional()
      .meta({ description: 'Raw prefixes instead: address, 0x01, topics.' }),
  })
  .transform((given, context): WantedSchedule => {
    const problem = (path: readonly (string | number)[], message: string) => {
      context.addIssue({ code: 'custom', path: [...path], message })
      return z.NEVER
    }
    const { contract, event, args = [], keys } = given
    if (keys !== undefined) {
      if (contract !== undefined || event !== undefined || args.length > 0)
        return problem(['keys'], 'cannot be used with contract, event or args')
      const other = keys.findIndex((key) => byteLength(key) > 20 && !isLogKey(key))
      // It would be accepted and never fire.
      if (other >= 0)
        return problem(
          ['keys', other],
          'must continue with 01 after the address: watches see events, not storage slots',
        )
      return { type: 'watch', keys: [...new Set(keys)].sort() }
    }
    if (contract === undefined) return problem(['contract'], 'is required, unless keys are given')
    if (event === undefined)
      return args.length > 0 ? problem(['args'], 'need an event') : { type: 'watch', keys: [contractKey(contract)] }
    try {
      return { type: 'watch', keys: [eventKey(contract, event, args)] }
    } catch (error) {
      if (!(error instanceof CallProblem)) throw error
      return problem(error.path, error.message)
    }
  })

const schedule = z
  .discriminatedUnion('type', [timeout, interval, cron, watch], {
    error: 'must be one of timeout, interval, cron, watch',
  })
  .meta({
    description: 'When it fires: once at a block, every so many blocks, about a time, or when an event is logged.',
  })

const SIGNED_NUMBER = /^-?[0-9]{1,78}$/
/** One word that is a number, or can be read as one. */
const COMPARABLE = /^(u?int\d*|bool|address|bytes\d+)$/
const NUMBER_OR_BOOLEAN = 'must be a whole number, preferably as a string, or true or false'

const when = z
  .strictObject({
    to: addressInput
      .optional()
      .meta({ description: 'The contract that is asked. Default: the contract that is called.' }),
    function: z
      .string()
      .min(3)
      .max(1_000)
      .meta({ description: 'A view function, with what it returns.', examples: ['pending() returns (uint256)'] }),
    args: z.array(z.unknown()).max(100).default([]),
    is: z.enum(COMPARISONS),
    value: z.union([z.string().regex(SIGNED_NUMBER, { error: NUMBER_OR_BOOLEAN }), z.int(), z.boolean()], {
      error: NUMBER_OR_BOOLEAN,
    }),
  })
  .meta({
    description:
      'A condition, read at the block that fires. If it does not hold, the fire is skipped and nothing is sent. The first value that the function returns is compared.',
  })

const fields = z.strictObject({
  chainId: z.int().min(1).optional().meta({ description: 'Optional if Drover follows only one chain.' }),
  from: addressInput.meta({ description: 'A registered signer. It sends the transactions and pays for them.' }),
  to: addressInput.meta({ description: 'The contract that is called.' }),
  schedule,
  data: bytesInput(MAX_DATA_BYTES).optional(),
  call: callInput.optional(),
  value: amountInput().optional().meta({ description: 'Amount in wei that each fire sends. Default: 0.' }),
  gasLimit: amountInput({ min: MIN_GAS, max: MAX_GAS })
    .optional()
    .meta({ description: 'Default: estimated now, and half as much again.' }),
  bid: amountInput({ max: 2n ** 96n })
    .optional()
    .meta({
      description:
        'Goes first when more timers are due than may fire in a block. Default: 0. More needs the scope `priority`.',
    }),
  when: when.optional(),
  overlap: z.enum(OVERLAPS).optional().meta({
    description:
      'If earlier fires are not final yet: `buffer` (default) sends up to 64 at a time, `skip` sends none. The rest is skipped.',
  }),
  appendDeliverId: z
    .boolean()
    .optional()
    .meta({ description: 'Append the 32-byte id of the fire to the calldata, for contracts that check it.' }),
  onLowFunds: z.enum(LOW_FUNDS_RULES).optional().meta({
    description:
      'While the signer has too little for the fees: `wait` (default) queues fires until it has enough, `skip` skips them.',
  }),
  maxFailures: z.int().min(0).max(1_000_000).optional().meta({
    description:
      'The timer ends after this many transactions in a row that revert, on chain or before they are sent. Default: 0, never.',
  }),
  name: textInput(200).optional(),
  requestId: requestIdInput.optional(),
  metadata: metadataInput.optional(),
})

export type TimerRequest = Omit<NewTimer, 'by' | 'tenant' | 'maxFeeWei' | 'digest'>

export const timerRequest = fields.transform((body, context): TimerRequest => {
  const data = resolveData(body, context)
  const condition = resolveCondition(body, context)
  if (data === null || condition === undefined) return z.NEVER
  return {
    chainId: body.chainId ?? null,
    owner: body.from,
    target: body.to,
    schedule: body.schedule as WantedSchedule,
    data,
    value: body.value ?? 0n,
    gasLimit: body.gasLimit ?? null,
    bid: body.bid ?? 0n,
    when: condition,
    overlap: body.overlap ?? 'buffer',
    appendDeliverId: body.appendDeliverId ?? false,
    onLowFunds: body.onLowFunds ?? 'wait',
    maxFailures: body.maxFailures ?? 0,
    name: body.name ?? null,
    requestId: body.requestId ?? null,
    metadata: body.metadata ?? {},
  }
})
requestSchemas.add(timerRequest, { id: 'TimerRequest' })

const changeFields = z
  .strictObject({
    schedule: schedule.optional(),
    data: bytesInput(MAX_DATA_BYTES).optional(),
    call: callInput.optional(),
    gasLimit: amountInput({ min: MIN_GAS, max: MAX_GAS }).optional(),
    bid: amountInput({ max: 2n ** 96n }).optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'must change at least one field',
  })

export const timerChange = changeFields.transform((body, context) => {
  const data = body.data === undefined && body.call === undefined ? undefined : resolveData(body, context)
  if (data === null) return z.NEVER
  return {
    ...(body.schedule !== undefined && { schedule: body.schedule as WantedSchedule }),
    ...(data !== undefined && { data }),
    ...(body.gasLimit !== undefined && { gasLimit: body.gasLimit }),
    ...(body.bid !== undefined && { bid: body.bid }),
  }
})
requestSchemas.add(timerChange, { id: 'TimerChange' })

const PARAM = 'must be a whole number, true or false, or a list of whole numbers as strings'
const param = z.union(
  [
    z.string().regex(SIGNED_NUMBER, { error: PARAM }),
    z.int(),
    z.boolean(),
    z.array(z.string().regex(SIGNED_NUMBER, { error: PARAM })),
  ],
  { error: PARAM },
)

export const timerParamsChange = z
  .record(z.string().max(64), param)
  .refine((change) => Object.keys(change).length > 0, { error: 'must change at least one parameter' })
  .meta({
    description: 'Parameters of the timers of a chain, such as `maxFiresPerBlock`. Large numbers as decimal strings.',
    examples: [{ maxFiresPerBlock: 10 }],
  })
requestSchemas.add(timerParamsChange, { id: 'TimerParamsChange' })

function countGiven(...values: readonly unknown[]): number {
  return values.filter((value) => value !== undefined).length
}

interface CallFields {
  readonly data?: Hex | undefined
  readonly call?: z.output<typeof callInput> | undefined
}

function resolveData({ data, call }: CallFields, context: z.RefinementCtx): Hex | null {
  const refuse = (path: readonly (string | number)[], message: string): null => {
    context.addIssue({ code: 'custom', path: [...path], message })
    return null
  }
  if (call === undefined) return data ?? '0x'
  if (data !== undefined) return refuse(['call'], 'cannot be used together with data')
  try {
    const encoded = encodeCall(call)
    return byteLength(encoded) <= MAX_DATA_BYTES ? encoded : refuse(['call', 'args'], 'are too large when encoded')
  } catch (error) {
    if (!(error instanceof CallProblem)) throw error
    return refuse(['call', ...error.path], error.message)
  }
}

/** Undefined if it was refused. */
function resolveCondition(
  { to: target, when: given }: z.output<typeof fields>,
  context: z.RefinementCtx,
): Condition | null | undefined {
  if (given === undefined) return null
  try {
    const [output] = parseSignature(given.function).outputs
    // It would be compared with where the value begins, not with the value.
    if (output !== undefined && !COMPARABLE.test(output.type))
      throw new CallProblem(['function'], `returns ${output.type}, which cannot be compared: only one number can`)
    const isSigned = output !== undefined && /^int\d*$/.test(output.type)
    const value = BigInt(typeof given.value === 'boolean' ? Number(given.value) : given.value)
    const data = encodeCall({ function: given.function, args: given.args })
    return { to: given.to ?? target, data, comparison: given.is, value, isSigned }
  } catch (error) {
    if (!(error instanceof CallProblem)) throw error
    context.addIssue({ code: 'custom', path: ['when', ...error.path], message: error.message })
    return undefined
  }
}
