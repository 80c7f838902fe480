/** What stored timers cost: creating one more, a block in which one of them fires, and a takeover. None should grow with their number but the last. */
import { setTimeout as pause } from 'node:timers/promises'
import { developmentAccount } from '../../tests/setup/anvil.ts'
import { type BenchBase, type BenchNode, createKey, startBenchBase, startBenchNode } from '../flow/stack.ts'
import { readCpu } from '../flow/usage.ts'

const BLOCKS = 40
const AT_ONCE = 200
const TARGETS = 500

interface Scene {
  readonly base: BenchBase
  readonly token: string
}

export async function measureStoredTimers(sizes: readonly number[]): Promise<Readonly<Record<string, string>>> {
  const base = await startBenchBase({
    name: 'timers',
    signers: 1,
    intents: 0,
    blockSeconds: 0,
    preset: 'fast',
    simulate: false,
  })
  try {
    const most = String(2 * Math.max(...sizes))
    const start = () =>
      startBenchNode(base, {
        DROVER_SIGNER_KEYS: developmentAccount(0).privateKey,
        DROVER_SIGNER_POLICY: 'fast',
        DROVER_FINALITY: '2',
        DROVER_MAX_TIMERS_PER_TENANT: most,
        DROVER_MAX_TIMERS_PER_SIGNER: most,
        DROVER_TENANT_SHARE: '100',
      })
    const scene = { base, token: createKey(base.databaseUrl, 'bench', 'read,send,operate,admin') }
    const node = await start()
    await base.chain.call('anvil_mine', ['0x3'])
    const rows: Record<string, string> = {}
    await call(scene, node, 'POST', '/v1/timers', timer(0, { type: 'interval', blocks: 1 }))
    let stored = 1
    for (const size of sizes) {
      const rate = await fill(scene, node, stored, size)
      stored = size
      const { ms, cpuMs } = await timeBlocks(scene, node)
      const label = size.toLocaleString('en')
      rows[`${label} stored: created a second`] = rate.toFixed(0)
      rows[`${label} stored: a block, until its fire is stored`] = `${ms.toFixed(1)} ms, ${cpuMs.toFixed(1)} ms CPU`
    }
    const heir = await start()
    const taken = heir.lineWhere((line) => line.includes('took over the timers of a chain'))
    await node.end('SIGTERM')
    const { tookMs, timers } = JSON.parse(await taken) as { readonly tookMs: number; readonly timers: number }
    rows[`takeover with ${timers.toLocaleString('en')} live`] = `${tookMs} ms`
    return rows
  } finally {
    await base.stop()
  }
}

function timer(n: number, schedule: object) {
  const to = `0x${(0xc0_00_00 + (n % TARGETS)).toString(16).padStart(40, '0')}`
  return { from: developmentAccount(0).address, to, call: { function: 'poke()' }, gasLimit: '30000', schedule }
}

async function fill(scene: Scene, node: BenchNode, from: number, to: number): Promise<number> {
  const startedAt = performance.now()
  for (let at = from; at < to; at += AT_ONCE) {
    const count = Math.min(AT_ONCE, to - at)
    const wanted = Array.from({ length: count }, (_, n) => timer(at + n, { type: 'timeout', height: 10_000_000 + n }))
    await Promise.all(wanted.map((body) => call(scene, node, 'POST', '/v1/timers', body)))
  }
  return (to - from) / ((performance.now() - startedAt) / 1_000)
}

async function timeBlocks(scene: Scene, node: BenchNode): Promise<{ readonly ms: number; readonly cpuMs: number }> {
  const cpuBefore = await readCpu(node.pid)
  const times: number[] = []
  for (let block = 0; block < BLOCKS; block++) {
    const startedAt = performance.now()
    await scene.base.chain.call('evm_mine')
    const head = Number(await scene.base.chain.call<string>('eth_blockNumber'))
    while (((await call(scene, node, 'GET', '/v1/timers/queue?limit=1')) as { height: number }).height <= head)
      await pause(2)
    times.push(performance.now() - startedAt)
  }
  const cpuMs = ((await readCpu(node.pid)) - cpuBefore) / 1_000 / BLOCKS
  return { ms: times.sort((a, b) => a - b)[BLOCKS / 2] ?? 0, cpuMs }
}

async function call({ token }: Scene, { url }: BenchNode, method: string, path: string, body?: object) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer: unknown = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}
