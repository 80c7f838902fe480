import { encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { describeLog } from './known-logs.ts'

const FROM = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const TO = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

function topicsOf(abi: string, args: Record<string, unknown>): readonly string[] {
  return encodeEventTopics({ abi: parseAbi([abi]), args } as never) as readonly string[]
}

test('transfers and approvals of tokens, by amount and by id', () => {
  const data = encodeAbiParameters([{ type: 'uint256' }], [12_345n])
  const transfer = 'event Transfer(address indexed from, address indexed to, uint256 value)'
  expect(describeLog({ topics: topicsOf(transfer, { from: FROM, to: TO }), data })).toBe(
    'Transfer of 12,345 from 0x7099…79c8 to 0x3c44…93bc',
  )
  const approval = 'event Approval(address indexed owner, address indexed spender, uint256 value)'
  expect(describeLog({ topics: topicsOf(approval, { owner: FROM, spender: TO }), data })).toContain(
    'Approval of 12,345 by',
  )
  const token = 'event Transfer(address indexed from, address indexed to, uint256 indexed id)'
  expect(describeLog({ topics: topicsOf(token, { from: FROM, to: TO, id: 7n }), data: '0x' })).toContain(
    'of token 7 from',
  )
})

test('other logs are not guessed at', () => {
  expect(describeLog({ topics: [], data: '0x' })).toBeNull()
  expect(
    describeLog({ topics: [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`, `0x${'3'.repeat(64)}`], data: '0x' }),
  ).toBeNull()
})
