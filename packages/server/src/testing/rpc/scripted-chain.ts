/** A chain of blocks as a node would show it, for the tests of what is made from heads; it grows and forks when told to. */
import type { Forwarder } from '../../rpc/forwarder.ts'
import { RpcFailure } from '../../rpc/rpc-failure.ts'

interface ScriptedBlock {
  readonly hash: string
  readonly parentHash: string
  readonly number: string
  readonly transactions: readonly string[]
}

export interface ScriptedChain {
  readonly forwarder: Forwarder
  readonly onHeadHint: (listener: () => void) => () => void
  listenerCount(): number
  /** Puts blocks of these names on top of `parent`, or of the head, and tells of it; what stood there before is gone. */
  grow(names: readonly string[], parent?: string): Promise<void>
  setDown(isDown: boolean): void
}

export function createScriptedChain(): ScriptedChain {
  const blocks = new Map<string, ScriptedBlock>()
  const listeners = new Set<() => void>()
  let head = 'genesis'
  let isDown = false
  add('genesis', 'nothing')

  function add(name: string, parent: string): void {
    const number = `0x${(Number(blocks.get(parent)?.number ?? -1) + 1).toString(16)}`
    blocks.set(name, { hash: name, parentHash: parent, number, transactions: ['0x01'] })
    head = name
  }

  function answer(method: string, params: readonly unknown[]): unknown {
    if (isDown) throw new RpcFailure('internal', 'no node of the chain answers')
    if (method === 'eth_getBlockByNumber') return blocks.get(head) ?? null
    if (method === 'eth_getBlockByHash') return blocks.get(String(params[0])) ?? null
    if (method !== 'eth_getLogs') throw new RpcFailure('method_not_found', method)
    const { blockHash, address } = params[0] as { blockHash: string; address?: string }
    return [{ blockHash, address: address ?? 'any', removed: false }]
  }

  const forward: Forwarder['forward'] = async ({ method, params }) => answer(method, params)
  return {
    forwarder: {
      forward,
      forwardEach: (requests) => Promise.allSettled(requests.map((request) => forward(request))),
    },
    onHeadHint: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    listenerCount: () => listeners.size,
    grow: async (names, parent = head) => {
      let below = parent
      for (const name of names) {
        add(name, below)
        below = name
      }
      for (const listener of listeners) listener()
      // Every answer is a microtask away; a turn of the loop is more than all of them need.
      await new Promise((resolve) => setImmediate(resolve))
    },
    setDown: (down) => {
      isDown = down
    },
  }
}
