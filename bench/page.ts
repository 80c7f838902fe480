/**
 * The console in Chromium, on a database full of transactions and a busy event stream: does the list scroll smoothly,
 * and does the tab stay small? The baseline is the same tab while nothing happens.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../tests/browser/chromium.ts'
import { percentiles } from './floods/percentiles.ts'
import { startBenchStack } from './flow/stack.ts'
import { build } from './flow.ts'
import { readBundleSizes } from './page/bundle-size.ts'
import { driveEvents } from './page/drive-events.ts'
import { fillStored } from './page/fill-stored.ts'
import { type Footprint, openTab, type Scrolled, type Tab } from './page/watch-tab.ts'

const SIGNERS = 5
const SCROLL_SECONDS = 10
/** 40 rows a second, as a person reads; and as fast as a thumb can fling. */
const SLOW_PIXELS = 27
const FAST_PIXELS = 200
const LATE_MS = 40

/** `--stored 100000 --events 500 --seconds 120`. */
export async function benchPage(options: readonly string[]): Promise<void> {
  const read = (name: string, usual: number) => Number(options[options.indexOf(name) + 1] ?? usual) || usual
  const [stored, events, seconds] = [read('--stored', 100_000), read('--events', 500), read('--seconds', 120)]
  build()
  const { first, all } = await readBundleSizes()
  const stack = await startBenchStack({
    name: 'page',
    signers: SIGNERS,
    intents: 0,
    blockSeconds: 1,
    preset: 'fast',
    simulate: false,
    tuned: { DROVER_FINALITY: '2' },
  })
  let browser: Browser | null = null
  try {
    await fillStored(stack, stored)
    browser = await launchBrowser()
    const tab = await openTab(browser, stack)
    const calm = await scrollBoth(tab)
    const load = driveEvents(stack, events)
    await load.readRate()
    const busySince = performance.now()
    await tab.open('#/', '.tile canvas')
    await pause(20_000)
    const early = await tab.readFootprint()
    const busy = await scrollBoth(tab)
    await tab.open('#/', '.tile canvas')
    await pause(Math.max(0, seconds * 1_000 - (performance.now() - busySince)))
    const late = await tab.readFootprint()
    const rate = await load.readRate()
    await load.stop()
    print([
      [`${rate.toFixed(0)} events a second, ${stored.toLocaleString('en')} stored`, 'at rest', 'under load'],
      ...spellScroll('read, 40 rows a second', calm.slow, busy.slow),
      ...spellScroll('flung, 300 rows a second', calm.fast, busy.fast),
      [`heap MB after 20 s / ${seconds} s`, '', spellPair(early, late, ({ heapMb }) => heapMb.toFixed(1))],
      [`DOM nodes after 20 s / ${seconds} s`, '', spellPair(early, late, ({ nodes }) => String(nodes))],
      ['first paint, nothing cached, ms', tab.firstPaintMs.toFixed(0), ''],
      ['bundle before the first paint, kB (gzip)', `${first.kb.toFixed(0)} (${first.gzipKb.toFixed(0)})`, ''],
      ['bundle in all, kB (gzip)', `${all.kb.toFixed(0)} (${all.gzipKb.toFixed(0)})`, ''],
    ])
  } finally {
    await browser?.close()
    await stack.stop()
  }
}

interface BothScrolls {
  readonly slow: Scrolled
  readonly fast: Scrolled
}

async function scrollBoth(tab: Tab): Promise<BothScrolls> {
  await tab.open('#/transactions', '.tx-row .chip')
  const slow = await tab.scroll(SCROLL_SECONDS, SLOW_PIXELS)
  const fast = await tab.scroll(SCROLL_SECONDS, FAST_PIXELS)
  return { slow, fast }
}

type Row = readonly [what: string, calm: string, busy: string]

function spellScroll(how: string, calm: Scrolled, busy: Scrolled): readonly Row[] {
  const frames = ({ frames: all }: Scrolled) => {
    const { p50, p99 } = percentiles(all)
    return `${p50.toFixed(1)} / ${p99.toFixed(1)}`
  }
  const late = ({ frames: all }: Scrolled) =>
    `${((all.filter((ms) => ms > LATE_MS).length / all.length) * 100).toFixed(1)} %`
  const tasks = ({ longTasks }: Scrolled) =>
    longTasks.length === 0 ? 'none' : `${longTasks.length}, longest ${Math.max(...longTasks).toFixed(0)} ms`
  const blank = ({ blankShare, rowsPassed }: Scrolled) => `${(blankShare * 100).toFixed(0)} % of ${rowsPassed} rows`
  return [
    [`${how}: frame p50 / p99 ms`, frames(calm), frames(busy)],
    [`${how}: frames over ${LATE_MS} ms`, late(calm), late(busy)],
    [`${how}: tasks over 50 ms`, tasks(calm), tasks(busy)],
    [`${how}: frames with a row not read yet`, blank(calm), blank(busy)],
  ]
}

function spellPair(early: Footprint, late: Footprint, spell: (footprint: Footprint) => string): string {
  return `${spell(early)} / ${spell(late)}`
}

function print([head, ...rows]: readonly Row[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  process.stdout.write([line(head ?? []), line(['---', '---:', '---:']), ...rows.map(line)].join(''))
}
