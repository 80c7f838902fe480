/** Commits a state: its root follows from the one before and what changed since. */
import { listChainLeafChanges } from './chain-leaves.ts'
import type { ChainState } from './chain-state.ts'

export function sealState(before: ChainState, after: Omit<ChainState, 'trie' | 'stateRoot'>): ChainState {
  const trie = before.trie.apply(listChainLeafChanges(before, after))
  return { ...after, trie, stateRoot: trie.rootHash }
}
