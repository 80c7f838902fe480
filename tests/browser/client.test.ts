/** The client where there is no Node: in a context with nothing but what the web has, and in a real browser. */
import { existsSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount, startTestChain, type TestChain } from '../setup/anvil.ts'
import { bundle } from '../setup/bundle.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

/** Sends, waits, follows, asks the node and checks a forgery: every entry of the package does something. */
const PROGRAM = `
  import { createDrover, toBigInt } from '@drover/client'
  import { createProvider } from '@drover/client/eip1193'
  import { toDroverAccount } from '@drover/client/viem'
  import { verifyWebhook } from '@drover/client/webhooks'

  globalThis.run = async (url) => {
    const drover = createDrover({ url })
    const [signer] = await drover.signers.list()
    const events = drover.events({ types: ['accepted'] })
    const sent = await drover.sendBatch([{ from: signer.address, to: signer.address, value: 1n }])
    const first = await events.next()
    await events.return()
    const tx = await sent[0].transaction.wait('confirmed', { timeoutMs: 60_000 })
    const provider = createProvider({ url })
    const { address } = toDroverAccount(signer.address)
    const hash = await provider.request({ method: 'eth_sendTransaction', params: [{ from: address, to: address }] })
    const forgery = { 'webhook-id': '1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' }
    const verdict = await verifyWebhook('whsec_AAAA', forgery, '{}').catch(({ code }) => code)
    return JSON.stringify({
      value: String(toBigInt(tx.value)),
      state: tx.state,
      event: first.value.transactionId === tx.id,
      hash,
      verdict,
    })
  }
`

const EXPECTED = {
  value: '1',
  state: 'CONFIRMED',
  event: true,
  verdict: 'invalid_webhook',
  hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
}

let chain: TestChain
let database: TestDatabase
let service: DroverProcess
let script: string

beforeAll(async () => {
  chain = await startTestChain({ blockTimeSeconds: 1 })
  script = await bundle(PROGRAM)
})

afterAll(async () => {
  await chain?.stop()
})

/** Each has a service of its own, whose first event is its own. */
async function withService<T>(account: number, use: (url: string) => Promise<T>): Promise<T> {
  database = await createTestDatabase()
  service = await startDrover({
    databaseUrl: database.url,
    rpcUrl: chain.rpcUrl,
    signerKeys: [developmentAccount(account).privateKey],
    env: { DROVER_FINALITY: '1', DROVER_SIGNER_POLICY: 'fast' },
  })
  try {
    return await use(service.url)
  } finally {
    await service.end()
    await database.drop()
  }
}

test('in a context with web APIs only, without Node', async () => {
  const web = {
    fetch,
    AbortController,
    AbortSignal,
    Headers,
    Response,
    URL,
    URLSearchParams,
    TextDecoder,
    TextEncoder,
    crypto,
    setTimeout,
    clearTimeout,
    queueMicrotask,
    performance,
    atob,
    btoa,
  }
  const context = createContext({ ...web })
  runInContext(script, context)
  expect(runInContext('typeof process + typeof Buffer + typeof require', context)).toBe('undefined'.repeat(3))
  const result = await withService(0, (url) => runInContext(`run(${JSON.stringify(url)})`, context) as Promise<string>)
  expect(JSON.parse(result)).toEqual(EXPECTED)
})

test.skipIf(CHROMIUM === undefined)('in Chromium, on a page of the service', async () => {
  const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] })
  try {
    const result = await withService(1, async (url) => {
      const page = await (await browser.newContext({ bypassCSP: true })).newPage()
      await page.goto(url)
      await page.addScriptTag({ content: script })
      return page.evaluate(`run(location.origin)`) as Promise<string>
    })
    expect(JSON.parse(result)).toEqual(EXPECTED)
  } finally {
    await browser.close()
  }
})
