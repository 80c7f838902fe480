/** Hardhat 2, as it is from npm, in a project of its own: deploys and calls with the accounts that the endpoint has. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COUNTER } from '../setup/contracts.ts'
import { type JsonRpcService, startJsonRpcService } from '../setup/json-rpc-service.ts'

const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const CONFIG = `require('@nomicfoundation/hardhat-ethers')
module.exports = { solidity: '0.8.28', networks: { drover: { url: process.env.DROVER_RPC } } }
`
const SCRIPT = `const { ethers } = require('hardhat')
const { abi, bytecode } = JSON.parse(process.env.COUNTER)
async function main() {
  const signers = await ethers.getSigners()
  const signer = await ethers.getSigner(process.env.SIGNER)
  const factory = await ethers.getContractFactory(abi, bytecode, signer)
  const counter = await factory.deploy()
  await counter.waitForDeployment()
  const receipts = await Promise.all([1, 2, 3].map(async (by) => (await counter.increase(by)).wait()))
  const refused = await signer.sendTransaction({ to: await counter.getAddress(), data: '0xdeadbeef' }).catch((error) => error.message)
  console.log(JSON.stringify({
    signers: signers.map(({ address }) => address),
    statuses: receipts.map(({ status }) => status),
    total: String(await counter.total()),
    refused,
  }))
}
main().catch((error) => { console.error(error); process.exitCode = 1 })
`

let service: JsonRpcService
let project: string

beforeAll(async () => {
  service = await startJsonRpcService()
  project = await mkdtemp(join(tmpdir(), 'drover-hardhat-'))
  await symlink(NODE_MODULES, join(project, 'node_modules'))
  await writeFile(join(project, 'package.json'), '{ "name": "project", "private": true }')
  await writeFile(join(project, 'hardhat.config.js'), CONFIG)
  await writeFile(join(project, 'deploy.js'), SCRIPT)
})

afterAll(async () => {
  await rm(project, { recursive: true, force: true })
  await service.close()
})

test('deploy and call through Drover', async () => {
  const cli = join(NODE_MODULES, 'hardhat/internal/cli/bootstrap.js')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [cli, 'run', '--no-compile', '--network', 'drover', 'deploy.js'],
    {
      cwd: project,
      env: {
        PATH: process.env.PATH,
        HOME: project,
        XDG_CONFIG_HOME: project,
        XDG_DATA_HOME: project,
        XDG_CACHE_HOME: project,
        HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
        CI: 'true',
        DROVER_RPC: service.rpcUrl,
        SIGNER: service.fast.address,
        COUNTER: JSON.stringify(COUNTER),
      },
      timeout: 90_000,
    },
  )
  const seen = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  expect(seen.signers.toSorted()).toEqual([service.fast.address, service.stable.address].sort())
  expect(seen).toMatchObject({ statuses: [1, 1, 1], total: '6', refused: expect.stringContaining('revert') })
})
