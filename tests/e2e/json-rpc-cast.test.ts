/** Foundry's cast, as it is from npm, against the JSON-RPC endpoint; skipped where npm has none for this machine. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest'
import { COUNTER, revertingCode } from '../setup/contracts.ts'
import { type JsonRpcService, startJsonRpcService } from '../setup/json-rpc-service.ts'
import { placeCode } from '../setup/place-code.ts'

const REVERTING = '0x00000000000000000000000000000000000c0de1'
const PLATFORMS: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const program = findCast()
let service: JsonRpcService

beforeAll(async () => {
  service = await startJsonRpcService()
  await placeCode(service, REVERTING, revertingCode('closed on Sundays'))
})

afterAll(() => service.close())

function findCast(): string | null {
  try {
    const cast = import.meta.resolve('@foundry-rs/cast/package.json')
    const name = `@foundry-rs/cast-${process.platform}-${PLATFORMS[process.arch] ?? process.arch}`
    return join(dirname(createRequire(cast).resolve(`${name}/package.json`)), 'bin', 'cast')
  } catch {
    // An optional package, which npm leaves out where there is none for the machine.
    return null
  }
}

function need(context: TestContext): string {
  if (program === null) return context.skip(`npm has no cast for ${process.platform} on ${process.arch}`)
  return program
}

async function cast(file: string, command: string, ...args: readonly string[]): Promise<string> {
  const all = [command, '--rpc-url', service.rpcUrl, ...args]
  const { stdout } = await promisify(execFile)(file, all, { timeout: 60_000 })
  return stdout.trim()
}

const send = (file: string, ...args: readonly string[]) =>
  cast(file, 'send', '--json', '--unlocked', '--from', service.fast.address, ...args)

test('a transfer with the nonce that cast chose, and with a given one', async (context) => {
  const file = need(context)
  const to = service.stranger.address
  const nonce = async () => Number(await cast(file, 'nonce', service.fast.address, '--block', 'pending'))
  const first = await nonce()
  expect(JSON.parse(await send(file, '--value', '3', to))).toMatchObject({ status: '0x1' })
  expect(JSON.parse(await send(file, '--value', '3', '--nonce', String(first + 1), to))).toMatchObject({
    status: '0x1',
  })
  expect(await nonce()).toBe(first + 2)
  await expect(send(file, '--nonce', String(first), to)).rejects.toThrow(/nonce too low: next nonce/)
})

test('older prices, access lists, deployments and calls', async (context) => {
  const file = need(context)
  const deployed = JSON.parse(await send(file, '--create', COUNTER.bytecode))
  const { contractAddress: counter } = deployed
  const increase = (...args: readonly string[]) => send(file, ...args, counter, 'increase(uint256)', '5')
  expect(JSON.parse(await increase('--legacy'))).toMatchObject({ status: '0x1', type: '0x0' })
  const slot = `0x${'00'.repeat(32)}`
  const list = JSON.stringify([{ address: counter, storageKeys: [slot] }])
  expect(JSON.parse(await increase('--access-list', list))).toMatchObject({ status: '0x1' })
  expect(await cast(file, 'call', counter, 'total()(uint256)')).toBe('10')
})

test('failures use the words of a node', async (context) => {
  const file = need(context)
  await expect(send(file, REVERTING)).rejects.toThrow(/execution reverted: closed on Sundays/)
  await expect(
    send(file, '--legacy', '--gas-limit', '21000', '--gas-price', '0', service.stranger.address),
  ).rejects.toThrow(/max fee per gas less than block base fee/)
})
