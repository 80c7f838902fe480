/** The console while its connection breaks: what is old is said to be old, and it goes on by itself. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { eventually } from '../setup/eventually.ts'
import { startService, type TestService } from '../setup/service.ts'
import { CHROMIUM, launchBrowser, openWatched } from './chromium.ts'

describe.skipIf(CHROMIUM === undefined)('the connection of the console', () => {
  let service: TestService
  let browser: Browser
  const [signer, receiver] = [developmentAccount(0), developmentAccount(9)]
  const url = () => service.drover.url

  beforeAll(async () => {
    service = await startService({ chain: { blockTimeSeconds: 1 }, env: { DROVER_FINALITY: '1' } })
    browser = await launchBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  test('the overview draws its charts, says when it is stale, and goes on after a dropped connection', async () => {
    const { page, troubles } = await openWatched(browser, url())
    await eventually(
      () => page.locator('.chart canvas').count(),
      (count) => count === 4,
    )
    await page.getByText('Live', { exact: true }).waitFor()
    expect(troubles).toEqual([])

    await page.context().setOffline(true)
    await page.getByText('No news since').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Retry now' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    const send = { from: signer.address, to: receiver.address, value: '1' }
    const { body } = await service.drover.post('/v1/transactions', send)
    await eventually(
      () => page.locator(`.activity a[href="#/tx/${body.id}"], .activity a[href*="from=${signer.address}"]`).count(),
      (count) => count > 0,
    )
    await page.context().close()
  })

  test('events that do not arrive are said to be missing, while the rest is live, and are there when they come again', async () => {
    const { page } = await openWatched(browser, 'about:blank')
    await page.route(/v1\/events\/stream|v1\/events\?after/, (route) => route.abort())
    await page.goto(url())
    const stale = page.locator('.charts .freshness').getByText('No events since')
    await stale.waitFor()
    await page.getByRole('region', { name: 'Activity' }).getByText('No events since').waitFor()
    await page.locator('.readiness').getByText('Ready').waitFor()
    const { body } = await service.drover.post('/v1/transactions', { from: signer.address, to: receiver.address })
    await page.unroute(/v1\/events\/stream|v1\/events\?after/)
    await stale.waitFor({ state: 'detached' })
    await eventually(
      () => page.locator(`.activity a[href="#/tx/${body.id}"], .activity a[href*="from=${signer.address}"]`).count(),
      (count) => count > 0,
    )
    await page.context().close()
  })

  test('a page whose code does not arrive says so, and is there after a reload', async () => {
    const { page } = await openWatched(browser, 'about:blank')
    await page.route('**/assets/timers-page-*', (route) => route.abort())
    await page.goto(`${url()}/#/timers`)
    await page.getByText('This page could not be loaded').waitFor()
    await page.unroute('**/assets/timers-page-*')
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('button', { name: 'New timer' }).waitFor()
    await page.context().close()
  })

  test('a service that was killed is missed at once, and found again after its restart without a click', async () => {
    const peer = await service.startPeer()
    const { page } = await openWatched(browser, peer.url)
    await page.getByText('Live', { exact: true }).waitFor()
    await peer.end('SIGKILL')
    await page.getByText('Drover does not respond').waitFor()
    await page.getByText(/What you see is from \d\d:\d\d:\d\d/).waitFor()
    await page.locator('.readiness').getByText('No response').waitFor()
    const again = await service.startPeer({ DROVER_PORT: new URL(peer.url).port })
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await page.getByText('Drover does not respond').count()).toBe(0)
    expect(await page.locator('.readiness').textContent()).not.toBe('No response')
    await again.end('SIGKILL')
    await page.context().close()
  })

  test('a search that gets no answer goes on, and never says that there is nothing', async () => {
    const send = { from: signer.address, to: receiver.address, requestId: 'sought' }
    expect(await service.drover.post('/v1/transactions', send)).toMatchObject({ status: 202 })
    const { page } = await openWatched(browser, url())
    await page.getByText('Live', { exact: true }).waitFor()
    let refused = 0
    await page.route(/requestIdPrefix=sought/, async (route) => {
      refused += 1
      if (refused < 3) await route.abort()
      else await route.continue()
    })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('sought')
    await page.getByRole('option').filter({ hasText: 'sought' }).waitFor()
    expect(refused).toBeGreaterThanOrEqual(3)
    await page.context().close()
  })
})
