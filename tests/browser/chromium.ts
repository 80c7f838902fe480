/** The browser of the machine, and a page that remembers everything that went wrong on it. */
import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

const WAIT_MS = 200_000

export function launchBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('there is no Chromium on this machine')
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
}

export interface WatchedPage {
  readonly page: Page
  /** Errors and warnings of the console, and exceptions nobody caught. */
  readonly troubles: string[]
}

export async function openWatched(browser: Browser, url: string, width = 1280): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width, height: 860 } })
  // Long: nothing may depend on the pace of the machine.
  context.setDefaultTimeout(WAIT_MS)
  const page = await context.newPage()
  const troubles: string[] = []
  page.on('pageerror', (error) => void troubles.push(String(error)))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(message.text())
  })
  await page.goto(url)
  return { page, troubles }
}
