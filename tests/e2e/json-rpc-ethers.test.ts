/** ethers 6, as it is from npm, against the JSON-RPC endpoint. */
import { Contract, ContractFactory, JsonRpcProvider } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COUNTER } from '../setup/contracts.ts'
import { type JsonRpcService, startJsonRpcService } from '../setup/json-rpc-service.ts'

let service: JsonRpcService
let provider: JsonRpcProvider

beforeAll(async () => {
  service = await startJsonRpcService()
  provider = new JsonRpcProvider(service.rpcUrl, undefined, { pollingInterval: 100 })
})

afterAll(async () => {
  provider.destroy()
  await service.close()
})

test('the accounts are the signers', async () => {
  const accounts = await provider.listAccounts()
  expect(accounts.map(({ address }) => address).sort()).toEqual([service.fast.address, service.stable.address].sort())
  expect((await provider.getNetwork()).chainId).toBe(31_337n)
})

test('60 at once from one account: all mined, each with its own nonce', async () => {
  const signer = await provider.getSigner(service.fast.address)
  const before = await provider.getTransactionCount(signer.address, 'latest')
  const sent = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      signer.sendTransaction({ to: service.stranger.address, value: index + 1 }),
    ),
  )
  const receipts = await Promise.all(sent.map((tx) => tx.wait()))
  expect(receipts.map((receipt) => receipt?.status)).toEqual(sent.map(() => 1))
  const mined = await Promise.all(sent.map(({ hash }) => provider.getTransaction(hash)))
  const nonces = mined.map((tx) => tx?.nonce ?? -1).sort((a, b) => a - b)
  expect(nonces).toEqual(sent.map((_, index) => before + index))
  expect(mined.map((tx) => tx?.value)).toEqual(sent.map((_, index) => BigInt(index + 1)))
  expect(await provider.getTransactionCount(signer.address, 'latest')).toBe(before + 60)
})

test('a contract is deployed and called, and its events arrive', async () => {
  const signer = await provider.getSigner(service.fast.address)
  const factory = new ContractFactory(COUNTER.abi, COUNTER.bytecode, signer)
  const deployed = await factory.deploy()
  await deployed.waitForDeployment()
  const counter = new Contract(await deployed.getAddress(), COUNTER.abi, signer)
  const increased = counter.getFunction('increase')
  const receipt = await (await increased(5n)).wait()
  expect(receipt.logs).toHaveLength(1)
  expect(await counter.getFunction('total')()).toBe(5n)
  const logs = await counter.queryFilter('Increased')
  expect(logs.map((log) => ('args' in log ? log.args[0] : null))).toEqual([5n])
})

test('a stable signer takes one at a time', async () => {
  const signer = await provider.getSigner(service.stable.address)
  const hashes: string[] = []
  for (let index = 0; index < 3; index++) {
    const tx = await signer.sendTransaction({ to: service.stranger.address, value: 1 })
    hashes.push(tx.hash)
    expect((await tx.wait())?.hash).toBe(tx.hash)
  }
  expect(new Set(hashes).size).toBe(3)
})

test('errors are those that ethers knows', async () => {
  const signer = await provider.getSigner(service.fast.address)
  const tooMuch = signer.sendTransaction({ to: service.stranger.address, value: 10n ** 30n, gasLimit: 21_000 })
  await expect(tooMuch).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' })
  const used = signer.sendTransaction({ to: service.stranger.address, nonce: 5 })
  await expect(used).rejects.toMatchObject({ code: 'NONCE_EXPIRED' })
  await expect(signer.signMessage('hello')).rejects.toThrow(/Drover signs only transactions/)
})
