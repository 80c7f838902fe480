import { describe, expect, test } from 'vitest'
import type { Hex } from '../bytes/hex.ts'
import { createScript, playScript } from '../random-script.suite.ts'
import { createTimerState } from '../state/timer-state.ts'
import { MerkleTrie } from './merkle-trie.ts'
import { listLeafChanges, timersRoot } from './timer-leaves.ts'
import { proveTimer, type TimerProof, verifyTimerProof } from './timer-proof.ts'

const { final } = playScript(createScript(8, 40), { shards: 1, rootless: true })
const blank = createTimerState({ chainId: final.chainId, targets: final.targets === null ? 'any' : 'known' })
const trie = new MerkleTrie().apply(listLeafChanges(blank, final))
const root = timersRoot(final)
const missing: Hex = `0x${'07'.repeat(32)}`

describe('a proof of one timer', () => {
  test('shows each timer as it is, through JSON', () => {
    expect(final.timers.size).toBeGreaterThan(2)
    for (const timer of final.timers.values()) {
      const proof = JSON.parse(JSON.stringify(proveTimer(trie, timer.timerId))) as TimerProof
      expect(verifyTimerProof(root, proof)).toEqual({ type: 'present', timer })
    }
  })
  test('proves that an id does not exist', () => {
    expect(verifyTimerProof(root, proveTimer(trie, missing))).toEqual({ type: 'absent' })
    const nothing = new MerkleTrie()
    expect(verifyTimerProof(nothing.rootHash, proveTimer(nothing, missing))).toEqual({ type: 'absent' })
  })
  test('is worth nothing once anything in it changed', () => {
    const [timer] = final.timers.values()
    const proof = proveTimer(trie, timer?.timerId ?? missing)
    const { leaf } = proof
    if (leaf === null) throw new Error('no leaf')
    const [first, ...rest] = leaf.siblings
    if (first === undefined) throw new Error('no way')
    const forged: [string, Hex, TimerProof][] = [
      ['another root', missing, proof],
      ['another id', root, { ...proof, timerId: missing }],
      ['no leaf', root, { ...proof, leaf: null }],
      ['another value', root, { ...proof, leaf: { ...leaf, value: `${leaf.value}00` } }],
      ['another leaf to hide it', root, { ...proof, leaf: { ...leaf, path: missing } }],
      ['a shorter way', root, { ...proof, leaf: { ...leaf, siblings: rest } }],
      ['a way out of order', root, { ...proof, leaf: { ...leaf, siblings: [...rest, first] } }],
      ['another bit', root, { ...proof, leaf: { ...leaf, siblings: [{ ...first, bit: 255 }, ...rest] } }],
      ['half a hash', root, { ...proof, leaf: { ...leaf, siblings: [{ ...first, hash: '0x12' }, ...rest] } }],
    ]
    for (const [what, of, each] of forged) expect([what, verifyTimerProof(of, each).type]).toEqual([what, 'invalid'])
  })
})
