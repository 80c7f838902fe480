import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createMethodList, PASSED_ON } from './methods.ts'

const GUIDE = new URL('../../../../docs/json-rpc.md', import.meta.url)

test('the guide lists the methods that are passed on, and no other', () => {
  const paragraph = /^Passed on to a node: (.*?)\n\n/ms.exec(readFileSync(GUIDE, 'utf8'))?.[1] ?? ''
  expect([...paragraph.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual([...PASSED_ON])
})

test('nothing that sends, signs, or rules a node is passed on', () => {
  const own =
    /^(?:eth_(?:send|sign|accounts|coinbase|subscribe)|personal_|debug_|trace_|admin_|miner_|anvil_|evm_|hardhat_)/
  expect(PASSED_ON.filter((method) => own.test(method))).toEqual([])
})

test('more can be added; names of every object are no methods', () => {
  const { isPassedOn, findRefusal } = createMethodList(['debug_traceCall'])
  expect([isPassedOn('debug_traceCall'), isPassedOn('debug_traceBlock'), isPassedOn('toString')]).toEqual([
    true,
    false,
    false,
  ])
  expect(findRefusal('constructor')).toBeNull()
  expect(findRefusal('eth_sign')).toContain('never messages')
})
