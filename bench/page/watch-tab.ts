/** One tab of the console in Chromium: what it costs, and how smoothly its list scrolls. */
import type { Browser, CDPSession, Page } from 'playwright-core'
import type { BenchStack } from '../flow/stack.ts'

export interface Scrolled {
  /** Milliseconds between frames. */
  readonly frames: readonly number[]
  /** Milliseconds of each task that kept the page from drawing for more than 50 ms. */
  readonly longTasks: readonly number[]
  /** Share of frames with a row on screen that had not been read yet. */
  readonly blankShare: number
  readonly rowsPassed: number
}

export interface Footprint {
  readonly heapMb: number
  readonly nodes: number
}

export interface Tab {
  readonly page: Page
  /** Milliseconds until the first text was drawn, with nothing cached. */
  readonly firstPaintMs: number
  open(hash: string, shows: string): Promise<void>
  /** Scrolls the list down, so many pixels with every frame. */
  scroll(seconds: number, pixels: number): Promise<Scrolled>
  /** After the garbage was collected. */
  readFootprint(): Promise<Footprint>
}

export async function openTab(browser: Browser, { service }: BenchStack): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  await context.addInitScript(`sessionStorage.setItem('drover.apiKey', '${service.token}')`)
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  await page.goto(service.url)
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable')
  await page.getByRole('heading', { name: 'Signers' }).waitFor()
  return {
    page,
    firstPaintMs: (await page.evaluate(
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN",
    )) as number,
    open: async (hash, shows) => {
      await page.evaluate(`location.hash = '${hash}'`)
      await page.locator(shows).first().waitFor()
    },
    scroll: async (seconds, pixels) =>
      (await page.evaluate(`(${scrollList})(${seconds * 1_000}, ${pixels})`)) as Scrolled,
    readFootprint: () => readFootprint(session),
  }
}

/** Runs in the page, as text: it knows nothing of this file. */
const scrollList = `async (forMs, pixels) => {
  const list = document.querySelector('.tx-scroll')
  list.scrollTop = 0
  const frames = []
  const longTasks = []
  const observer = new PerformanceObserver((found) => longTasks.push(...found.getEntries().map((task) => task.duration)))
  observer.observe({ type: 'longtask' })
  const nextFrame = () => new Promise((drawn) => requestAnimationFrame(drawn))
  let blank = 0
  const startedAt = await nextFrame()
  for (let last = startedAt; last - startedAt < forMs; ) {
    list.scrollTop += pixels
    const now = await nextFrame()
    frames.push(now - last)
    if (document.querySelector('.tx-row.is-blank')) blank += 1
    last = now
  }
  observer.disconnect()
  const rowHeight = document.querySelector('.tx-row').offsetHeight
  return { frames, longTasks, blankShare: blank / frames.length, rowsPassed: Math.round(list.scrollTop / rowHeight) }
}`

async function readFootprint(session: CDPSession): Promise<Footprint> {
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  const read = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN
  return { heapMb: read('JSHeapUsedSize') / 1e6, nodes: read('Nodes') }
}
