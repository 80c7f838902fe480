import { encodeErrorResult, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import type { CallOutcome } from '../ports/chain.ts'
import { classifyCallError, isBlockRefused } from './call-outcome.ts'
import type { RpcError } from './rpc/rpc-error.ts'

const abi = parseAbi(['error Error(string)', 'error Panic(uint256)', 'error Denied(address who)'])
const NOPE = encodeErrorResult({ abi, errorName: 'Error', args: ['nope'] })
const OVERFLOW = encodeErrorResult({ abi, errorName: 'Panic', args: [0x11n] })
const ODD_PANIC = encodeErrorResult({ abi, errorName: 'Panic', args: [0x99n] })
const DENIED = encodeErrorResult({ abi, errorName: 'Denied', args: [`0x${'ab'.repeat(20)}`] })

function error(code: number, message: string, data: unknown = null): RpcError {
  return { code, message, data, httpStatus: 200 }
}
const reverted = (reason: string, data: string | null): CallOutcome =>
  ({ type: 'reverted', reason, data }) as CallOutcome

describe('reverts, as nodes report them', () => {
  test.each<[string, RpcError, CallOutcome]>([
    ['geth, with a reason', error(3, 'execution reverted: nope', NOPE), reverted('nope', NOPE)],
    [
      'geth, with a custom error',
      error(3, 'execution reverted', DENIED),
      reverted(`custom error ${DENIED.slice(0, 10)}`, DENIED),
    ],
    [
      'geth, with a panic',
      error(3, 'execution reverted', OVERFLOW),
      reverted('panic 0x11: arithmetic overflow or underflow', OVERFLOW),
    ],
    [
      'geth, with a code nobody knows',
      error(3, 'execution reverted', ODD_PANIC),
      reverted('panic 0x99: unknown code', ODD_PANIC),
    ],
    ['geth, without data', error(-32000, 'execution reverted'), reverted('reverted without a reason', null)],
    ['geth, with empty data', error(3, 'execution reverted', '0x'), reverted('reverted without a reason', '0x')],
    ['words without data', error(-32000, 'execution reverted: too late'), reverted('too late', null)],
    ['besu', error(-32000, 'Execution reverted', NOPE), reverted('nope', NOPE)],
    ['nethermind', error(-32015, 'VM execution error.', `Reverted ${NOPE}`), reverted('nope', NOPE)],
    [
      'hardhat',
      error(-32603, "Error: VM Exception while processing transaction: reverted with reason string 'nope'", {
        message: "Error: VM Exception while processing transaction: reverted with reason string 'nope'",
        data: NOPE,
      }),
      reverted('nope', NOPE),
    ],
    [
      'a proxy, nested',
      error(-32603, 'Internal error', { originalError: { code: 3, data: NOPE, message: 'execution reverted' } }),
      reverted('nope', NOPE),
    ],
    [
      'upper-case bytes',
      error(3, 'execution reverted', NOPE.toUpperCase().replace('0X', '0x')),
      reverted('nope', NOPE),
    ],
    [
      'a contract that speaks of limits',
      error(3, 'execution reverted: rate limit exceeded'),
      reverted('rate limit exceeded', null),
    ],
    [
      'bytes that are not what they claim',
      error(3, 'execution reverted', '0x08c379a0ff'),
      reverted('undecodable Error(string) 0x08c379a0ff', '0x08c379a0ff'),
    ],
    ['less than a selector', error(3, 'execution reverted', '0xff'), reverted('returned 0xff', '0xff')],
    [
      'anvil, an invalid opcode',
      error(-32603, 'EVM error InvalidFEOpcode'),
      reverted('EVM error InvalidFEOpcode', null),
    ],
    ['geth, an invalid opcode', error(-32000, 'invalid opcode: INVALID'), reverted('invalid opcode: INVALID', null)],
  ])('%s', (_, given, expected) => {
    expect(classifyCallError(given)).toEqual(expected)
  })
})

describe('other certain failures', () => {
  test.each<[RpcError, CallOutcome['type']]>([
    [
      error(-32000, 'insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1'),
      'insufficient_funds',
    ],
    [error(-32000, 'insufficient funds for transfer'), 'insufficient_funds'],
    [error(-32000, 'gas required exceeds allowance (30000000)'), 'invalid'],
    [error(-32003, 'Out of gas: gas required exceeds allowance: 20000'), 'invalid'],
    [error(-32003, 'EVM error OutOfGas'), 'invalid'],
    [error(-32003, 'EVM error MemoryOOG'), 'invalid'],
    [error(-32000, 'intrinsic gas too low'), 'invalid'],
    [error(-32000, 'max initcode size exceeded: code size 60000 limit 49152'), 'invalid'],
    [error(-32000, 'exceeds block gas limit'), 'invalid'],
  ])('%o', (given, expected) => {
    expect(classifyCallError(given)?.type).toBe(expected)
  })
})

test.each([
  error(-32000, 'header not found'),
  error(-32000, 'missing trie node'),
  error(-32603, 'Internal error'),
  error(-32000, 'request timed out'),
  error(-32000, 'execution aborted (timeout = 5s)'),
  error(-32601, 'the method eth_estimateGas does not exist/is not available'),
  error(-32602, 'invalid argument 1: hex string without 0x prefix'),
  error(-32000, 'nonce too low'),
  error(-32000, ''),
])('an error that says nothing about the call is no outcome: %o', (given) => {
  expect(classifyCallError(given)).toBeNull()
})

test('a reason of any length is kept short', () => {
  const data = encodeErrorResult({ abi, errorName: 'Error', args: ['x'.repeat(9_000)] })
  const outcome = classifyCallError(error(3, 'execution reverted', data))
  expect(outcome?.type === 'reverted' && outcome.reason.length).toBe(500)
})

describe('a block that was named by its hash or height', () => {
  test.each([
    ['geth', error(-32000, 'header not found')],
    ['geth, by hash', error(-32000, 'header for hash not found')],
    ['anvil, by hash', error(-32001, 'Resource not found')],
    ['anvil, by height', error(-32602, 'BlockOutOfRangeError: block height is 0 but requested was 153')],
    ['erigon', error(-32000, 'block not found')],
    ['nethermind', error(-32001, '12 could not be found')],
    ['pruned', error(-32000, 'missing trie node 12ab (path ) state 0x12 is not available')],
  ])('that the node does not have says nothing about it: %s', (_, given) => {
    expect(classifyCallError(given)).toBeNull()
    expect(isBlockRefused(given)).toBe(false)
  })

  test.each([
    [
      'geth before EIP-1898',
      error(-32602, 'invalid argument 1: json: cannot unmarshal object into Go value of type string'),
    ],
    ['no block taken', error(-32602, 'too many arguments, want at most 1')],
  ])('that the node does not understand is named otherwise: %s', (_, given) => {
    expect(classifyCallError(given)).toBeNull()
    expect(isBlockRefused(given)).toBe(true)
  })
})
