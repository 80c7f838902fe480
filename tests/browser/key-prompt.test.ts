/** The web page of a service that has keys: it asks for one, keeps it for its tab, and shows why one will not do. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import type { TestDatabase } from '../setup/database.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { createFirstKey } from '../setup/first-key.ts'
import { startService } from '../setup/service.ts'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

let database: TestDatabase
let service: DroverProcess
let stop: () => Promise<void>
let browser: Browser

beforeAll(async () => {
  ;({ database, drover: service, stop } = await startService())
  if (CHROMIUM !== undefined) browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
})

afterAll(async () => {
  await browser?.close()
  await stop?.()
})

test.skipIf(CHROMIUM === undefined)(
  'a signer: where its key is, that it signs, and how much of each rule is used',
  async () => {
    const { address } = developmentAccount(0)
    await service.request('PUT', `/v1/signers/${address}/rules`, { count: { perDay: '7' } })
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${service.url}/#/signer/${address}`)
    await page.getByText('environment variable: DROVER_SIGNER_KEYS').waitFor()
    await page.getByRole('heading', { name: 'Spending rules' }).waitFor()
    await page.getByText('Transactions per day').waitFor()
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('Verified: it signed a challenge.').first().waitFor()
    await page.close()
  },
)

test.skipIf(CHROMIUM === undefined)(
  'asks for a key, refuses a wrong one, remembers a good one for the tab, and asks again after it is revoked',
  async () => {
    const page = await (await browser.newContext()).newPage()
    await page.goto(service.url)
    const signer = page.getByText(developmentAccount(0).address.slice(0, 6)).first()
    await signer.waitFor()

    const { token } = await createFirstKey(database.url, { name: 'root', scopes: ['admin', 'read'] })
    const headers = { authorization: `Bearer ${token}` }
    const field = page.getByLabel('API key')
    await field.waitFor()
    expect(await field.getAttribute('type')).toBe('password')

    await field.fill(`drv_${'0'.repeat(16)}_${'A'.repeat(43)}`)
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.getByText('This API key is unknown.').waitFor()

    const own = await service.post('/v1/api-keys', { name: 'page', scopes: ['read'] }, headers)
    await field.fill(own.body.token)
    await page.getByRole('button', { name: 'Use this key' }).click()
    await signer.waitFor()
    await page.reload()
    await signer.waitFor()
    expect(await page.evaluate('[localStorage.length, document.cookie]')).toEqual([0, ''])
    expect(await page.content()).not.toContain(own.body.token)

    await service.request('DELETE', `/v1/api-keys/${own.body.id}`, undefined, headers)
    await page.getByText(/API key .*was revoked/).waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  },
)

test.skipIf(CHROMIUM === undefined)(
  'the API docs page finds an operation, and sends requests from its forms, with the key, within its content security policy',
  async () => {
    const { token } = await createFirstKey(database.url, { name: 'docs', scopes: ['read'] })
    const page = await (await browser.newContext()).newPage()
    const refused: string[] = []
    page.on(
      'console',
      (message) => void (/Content Security Policy/.test(message.text()) && refused.push(message.text())),
    )
    await page.goto(`${service.url}/docs`)
    const operation = page.locator('#showSigner')
    expect(await operation.getByText('Try it').isVisible()).toBe(false)
    await page.keyboard.press('/')
    await page.keyboard.type('showSigner')
    expect(await page.locator('article:visible').evaluateAll((all) => all.map(({ id }) => id))).toEqual([
      'showSigner',
      'showSignerRules',
    ])
    await operation.locator('summary').first().click()
    await page.getByLabel('API key').fill(token)
    await operation.getByText('Try it').click()
    await operation.getByLabel('address').fill(developmentAccount(0).address)
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.locator('output', { hasText: '200 OK' }).waitFor()
    expect(await operation.locator('output').textContent()).toContain(developmentAccount(0).address)
    // A link to an operation opens it, and the key of the console is used in the same tab.
    await page.evaluate(`sessionStorage.setItem('drover.apiKey', '${token}')`)
    await page.goto('about:blank')
    await page.goto(`${service.url}/docs#listChains`)
    await page.locator('#listChains').getByText('Try it').click()
    await page.locator('#listChains').getByRole('button', { name: 'Send' }).click()
    await page.locator('#listChains output', { hasText: '200 OK' }).waitFor()
    expect(refused).toEqual([])
  },
)
