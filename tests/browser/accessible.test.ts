/** axe looks at every page, light and dark: nothing that keeps anyone out. */
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { eventually } from '../setup/eventually.ts'
import { startService, type TestService } from '../setup/service.ts'
import { CHROMIUM, launchBrowser, openWatched } from './chromium.ts'

const signer = developmentAccount(0)

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

/** What keeps someone from using the page, with the first place of each. */
async function findSerious(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const violations = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as readonly Violation[]
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}

describe.skipIf(CHROMIUM === undefined)('axe finds nothing serious', () => {
  let service: TestService
  let browser: Browser
  let id: string

  beforeAll(async () => {
    service = await startService({ chain: { blockTimeSeconds: 1 }, env: { DROVER_FINALITY: '1' } })
    browser = await launchBrowser()
    const body = { from: signer.address, to: signer.address, requestId: 'seen', metadata: { order: '7' } }
    id = (await service.drover.post('/v1/transactions', body)).body.id
    await service.drover.post(`/v1/signers/${signer.address}/nonces`, { count: 1, ttlMs: 600_000 })
  })

  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  test.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('in %s at %i pixels', async (colorScheme, width) => {
    const { page } = await openWatched(browser, service.drover.url, width)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const hashes = [
      '',
      'transactions',
      `tx/${id}`,
      'signers',
      `signer/${signer.address}`,
      'timers',
      'webhooks',
      'access',
    ]
    const found: Record<string, readonly string[]> = {}
    for (const hash of [...hashes, 'cluster', 'send']) {
      await page.goto(`${service.drover.url}/#/${hash}`)
      await page.reload()
      await page.locator('main h1').waitFor({ state: 'attached' })
      await eventually(
        () => page.locator('main .loading').count(),
        (count) => count === 0,
      )
      const serious = await findSerious(page)
      if (serious.length > 0) found[hash] = serious
    }
    await page.keyboard.press('Control+k')
    expect(await findSerious(page)).toEqual([])
    expect(found).toEqual({})
    await page.context().close()
  })
})
