/**
 * Answers the two main calls of OpenZeppelin Relayer with Drover. A relayer has a name there and an address here:
 * RELAYERS='{"payouts":"0x…"}'.
 */
import { type Call, drover, serveJson } from './serve-json.ts'

interface SendTransaction {
  readonly to?: string
  readonly data?: `0x${string}`
  readonly value?: number | string
  readonly gas_limit?: number
  readonly speed?: keyof typeof SPEED
  readonly valid_until?: string
}

const SPEED = { safeLow: 'slow', average: 'standard', fast: 'fast', fastest: 'fast' } as const

const STATUS = {
  QUEUED: 'pending',
  ALLOCATED: 'sent',
  TRACKING: 'submitted',
  STUCK: 'submitted',
  CONFIRMED: 'confirmed',
  FAILED_FINAL: 'failed',
  CANCELLED: 'canceled',
  EXPIRED: 'expired',
} as const

const relayers: Readonly<Record<string, string>> = JSON.parse(process.env.RELAYERS ?? '{}')

async function send({ id: relayer, body }: Call) {
  const { to, data, value, gas_limit, speed, valid_until } = body as SendTransaction
  // The Relayer has no idempotency key. Add one: then your callers can repeat a request that got no answer.
  const tx = await drover.send({
    from: relayers[relayer] ?? relayer,
    ...(to !== undefined && { to }),
    ...(data !== undefined && { data }),
    ...(value !== undefined && { value: BigInt(value) }),
    ...(gas_limit !== undefined && { gasLimit: BigInt(gas_limit) }),
    ...(speed !== undefined && { speed: SPEED[speed] }),
    ...(valid_until !== undefined && { validUntil: valid_until }),
  })
  return await read({ id: tx.id }, 201)
}

async function read({ id }: Pick<Call, 'id'>, status = 200) {
  const { snapshot } = await drover.transactions.get(id)
  const { state, subState, hash, nonce, from, to, value, createdAt, error } = snapshot
  const isMined = state === 'TRACKING' && subState === 'mined'
  const data = {
    id,
    status: isMined ? 'mined' : STATUS[state],
    status_reason: error?.message ?? null,
    ...{ hash, nonce, from, to, value, created_at: createdAt },
  }
  return { status, body: { success: true, data, error: null } }
}

await serveJson(
  [
    [/^POST \/api\/v1\/relayers\/(?<id>[\w-]+)\/transactions$/, send],
    [/^GET \/api\/v1\/relayers\/[\w-]+\/transactions\/(?<id>[\w-]+)$/, (call) => read(call)],
  ],
  ({ detail }) => ({ success: false, data: null, error: detail }),
)
