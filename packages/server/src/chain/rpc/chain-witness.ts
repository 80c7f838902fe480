/**
 * Which chain answers, asked along with what is asked. Behind one URL there may be another machine at any time, so an
 * answer that could end a transaction or move a nonce is believed only together with the right chain id from the same
 * HTTP request. What is asked for by hash proves itself: another chain does not have it.
 */
import { parseCount } from '../rpc-values.ts'
import type { Witness } from './json-rpc.ts'
import type { RpcRequest } from './read-reply.ts'

export const CHAIN_ID_REQUEST: RpcRequest = { method: 'eth_chainId', params: [] }

const NEEDS_PROOF = new Set([
  'eth_sendRawTransaction',
  'eth_getBlockByNumber',
  'eth_getTransactionCount',
  'eth_estimateGas',
])

export function needsProof(requests: readonly RpcRequest[]): boolean {
  return requests.some(({ method }) => NEEDS_PROOF.has(method))
}

interface WitnessOptions {
  readonly chainId: number
  onProof(): void
  /** The node said that it serves another chain. */
  onForeign(message: string): void
}

export function createChainWitness({ chainId, onProof, onForeign }: WitnessOptions): Witness {
  return {
    request: CHAIN_ID_REQUEST,
    refute(reply) {
      const actual = reply.type === 'result' ? parseCount(reply.result) : null
      // No answer to this one alone says nothing about the others.
      if (actual === null) return null
      if (actual === chainId) {
        onProof()
        return null
      }
      const message = describeForeign(actual, chainId)
      onForeign(message)
      return message
    },
  }
}

export function describeForeign(actual: number, chainId: number): string {
  return `the RPC node serves chain ${actual}, not ${chainId}`
}
