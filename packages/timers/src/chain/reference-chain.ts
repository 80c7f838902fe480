/** A chain that remembers: applies blocks one after another and can go back to any height it has seen (R30). */
import { getExactHex } from '../kernel/bytes/hex.ts'
import type { Handlers } from './actor.ts'
import { applyBlock, type Block, type BlockResult, type ChainRules } from './apply-block.ts'
import type { ChainState } from './chain-state.ts'
import { createChainState, type Genesis } from './create-chain-state.ts'

export interface ReferenceChain {
  readonly head: ChainState
  /** Applies the next block and keeps the result. */
  append(block: Block): BlockResult
  /** Forgets everything above a height; what is appended next grows from there. */
  rewindTo(height: bigint): void
  resultAt(height: bigint): BlockResult | undefined
}

export interface ReferenceChainOptions extends Genesis {
  readonly handlers: Handlers
  readonly shards?: number
}

export function createReferenceChain({ handlers, shards, ...genesis }: ReferenceChainOptions): ReferenceChain {
  const governors = new Set((genesis.governors ?? []).map((address) => getExactHex(address, 20, 'a governor')))
  const rules: ChainRules = { handlers, governors, shards: shards ?? 1 }
  let states: ChainState[] = [createChainState(genesis)]
  let results: BlockResult[] = []

  function head(): ChainState {
    const last = states.at(-1)
    if (last === undefined) throw new Error('a chain always has its genesis')
    return last
  }

  return {
    get head() {
      return head()
    },
    append(block) {
      const { state, result } = applyBlock(head(), block, rules)
      states.push(state)
      results.push(result)
      return result
    },
    rewindTo(height) {
      if (height < 0n || height > head().height) throw new RangeError(`there is no height ${height} to go back to`)
      states = states.slice(0, Number(height) + 1)
      results = results.slice(0, Number(height))
    },
    resultAt: (height) => results[Number(height) - 1],
  }
}
