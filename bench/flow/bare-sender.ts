/**
 * The baseline: pre-signed bytes, sent in batches to the same kind of chain, with nothing stored and nothing checked.
 */
import { Agent, request } from 'node:http'
import { toAddress } from '../../packages/server/src/core/hex.ts'
import { createLocalSigner } from '../../packages/server/src/signer/local-signer.ts'
import { openSigningKit } from '../../packages/server/src/signer/signing-kit.ts'
import { developmentAccount } from '../../tests/setup/anvil.ts'
import type { Scenario } from './scenario.ts'
import { startBenchChain } from './stack.ts'
import { watchBlocks } from './watch-blocks.ts'

const BATCH = 100
const CONNECTIONS = 8
const FEES = { type: 'eip1559', maxFeePerGas: 100n * 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n } as const

/** Transactions mined per second, from the first send to the block of the last one. */
export async function runBareSender(scenario: Scenario): Promise<number> {
  const bodies = await signBatches(scenario)
  const chain = await startBenchChain(scenario)
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  try {
    const watch = await watchBlocks(chain)
    await watch.nextBlock()
    const startedAt = Date.now()
    const mined = watch.untilMined(scenario.intents)
    let next = 0
    const send = async (): Promise<void> => {
      for (let index = next++; index < bodies.length; index = next++)
        await post(chain.rpcUrl, agent, bodies[index] ?? '')
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, send))
    return scenario.intents / (((await mined) - startedAt) / 1_000)
  } finally {
    agent.destroy()
    await chain.stop()
  }
}

/** A batch holds the next nonces of one signer, so the order between connections hardly matters. */
async function signBatches({ signers, intents }: Scenario): Promise<readonly string[]> {
  const accounts = Array.from({ length: signers }, (_, index) => developmentAccount(index))
  const signer = createLocalSigner(
    accounts.map(({ privateKey }) => privateKey),
    await openSigningKit(),
  )
  const calls: string[] = []
  for (let index = 0; index < intents; index++) {
    const from = toAddress(accounts[index % signers]?.address ?? '')
    const nonce = Math.floor(index / signers)
    const { raw } = await signer.sign(from, {
      chainId: 31_337,
      nonce,
      to: from,
      data: '0x',
      value: 1n,
      gasLimit: 21_000n,
      fees: FEES,
    })
    calls.push(JSON.stringify({ jsonrpc: '2.0', id: index, method: 'eth_sendRawTransaction', params: [raw] }))
  }
  const batches = Array.from({ length: Math.ceil(calls.length / BATCH) }, (_, index) => index * BATCH)
  return batches.map((start) => `[${calls.slice(start, start + BATCH).join(',')}]`)
}

function post(url: string, agent: Agent, body: string): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = request({ hostname, port, agent, method: 'POST', headers }, (response) => {
      response.resume()
      response.on('end', resolve)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
