/** One signer with a long queue: does accepting, reading and explaining get slower with its length, and how fast does it empty? */
import { setTimeout as pause } from 'node:timers/promises'
import { type BenchStack, startBenchStack } from '../flow/stack.ts'
import { watchBlocks } from '../flow/watch-blocks.ts'

const BATCH = 1_000
const READS = 20
const DRAINED = 5_000

interface Posted {
  readonly status: number
  readonly ms: number
  readonly body: unknown
}

export async function measureDeepQueue(depth: number): Promise<Readonly<Record<string, string>>> {
  const stack = await startBenchStack({
    name: 'deep',
    signers: 1,
    intents: 0,
    blockSeconds: 1,
    preset: 'fast',
    simulate: false,
    tuned: {
      DROVER_MAX_QUEUED_PER_SIGNER: String(2 * depth),
      DROVER_MAX_QUEUED: String(2 * depth),
      DROVER_TENANT_SHARE: '100',
    },
  })
  try {
    const [account] = stack.accounts
    if (account === undefined) throw new Error('a signer is needed')
    const { address } = account
    await call(stack, 'POST', `/v1/signers/${address}/pause`, { reason: 'bench' })
    const rates: number[] = []
    for (let filled = 0; filled < depth; filled += BATCH) rates.push(await fill(stack, address, filled))
    const shallow = average(rates.slice(0, 5))
    const deep = average(rates.slice(-5))
    const last = (await call(stack, 'GET', `/v1/transactions?requestId=deep-${depth - 1}`)).body as {
      readonly items: readonly { readonly id: string }[]
    }
    const id = last.items[0]?.id ?? ''
    const reads = {
      'read one, p50': await timeOf(stack, `/v1/transactions/${id}`),
      'explain the last in line, p50': await timeOf(stack, `/v1/transactions/${id}/explain`),
      'list a page of 100, p50': await timeOf(stack, '/v1/transactions?limit=100'),
    }
    const watch = await watchBlocks(stack.chain)
    const resumedAt = performance.now()
    await call(stack, 'POST', `/v1/signers/${address}/resume`, { reason: 'bench' })
    await watch.untilMined(DRAINED)
    const drained = DRAINED / ((performance.now() - resumedAt) / 1_000)
    return {
      'accepted a second, empty queue, full queue': `${shallow.toFixed(0)}, ${deep.toFixed(0)}`,
      ...reads,
      [`mined a second, first ${DRAINED}`]: drained.toFixed(0),
    }
  } finally {
    await stack.stop()
  }
}

/** Sends a batch; returns how many were accepted per second. */
async function fill(stack: BenchStack, from: string, first: number): Promise<number> {
  const items = Array.from({ length: BATCH }, (_, index) => ({
    from,
    to: from,
    value: '1',
    simulate: false,
    requestId: `deep-${first + index}`,
  }))
  for (;;) {
    const { status, ms, body } = await call(stack, 'POST', '/v1/transactions/batch', { transactions: items })
    if (status < 300) return BATCH / (ms / 1_000)
    if (status !== 429 && status !== 503) throw new Error(`a batch was refused: ${status} ${JSON.stringify(body)}`)
    await pause(200)
  }
}

async function timeOf(stack: BenchStack, path: string): Promise<string> {
  const times: number[] = []
  for (let round = 0; round < READS; round++) times.push((await call(stack, 'GET', path)).ms)
  return `${times.sort((a, b) => a - b)[Math.floor(READS / 2)]?.toFixed(1)} ms`
}

async function call({ service }: BenchStack, method: string, path: string, body?: unknown): Promise<Posted> {
  const startedAt = performance.now()
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, ms: performance.now() - startedAt, body: text === '' ? null : JSON.parse(text) }
}

function average(list: readonly number[]): number {
  return list.reduce((sum, each) => sum + each, 0) / list.length
}
