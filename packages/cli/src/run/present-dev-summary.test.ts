import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { presentDevSummary } from './present-dev-summary.ts'

const SUMMARY = {
  url: 'http://127.0.0.1:4747',
  rpcUrl: 'http://127.0.0.1:8545',
  databaseUrl: 'postgres://drover@127.0.0.1/drover',
  chainId: 31_337,
  signers: [
    { address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', policy: 'stable' },
    { address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', policy: 'fast' },
  ],
  signerKeys: [],
} as const

test('shows what the README says it shows', async () => {
  const readme = await readFile(new URL('../../../../README.md', import.meta.url), 'utf8')
  const joined = readme.replaceAll(/ \\\n +/g, ' ')
  const commands = presentDevSummary(SUMMARY).match(/curl .*/g) ?? []
  expect(commands).toHaveLength(2)
  for (const command of commands) expect(joined).toContain(command)
})
