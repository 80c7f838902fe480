/** A person without a mouse: where the focus is, whether it is seen, and how to get it somewhere. */
import type { Page } from 'playwright-core'
import { eventually } from '../setup/eventually.ts'

const focusedText = (page: Page) => page.evaluate('document.activeElement?.textContent')

/** Waits until an element with this in its id has the focus: the page draws after the key was handled, not with it. */
export async function awaitFocusOnId(page: Page, part: string): Promise<void> {
  await eventually(
    () => page.evaluate<string>(`document.activeElement?.id ?? ''`),
    (id) => id.includes(part),
  )
}

/** Waits until a button with this text has the focus. */
export async function awaitFocusOn(page: Page, text: string): Promise<void> {
  const read = `document.activeElement?.tagName === 'BUTTON' ? document.activeElement.textContent : ''`
  await eventually(
    () => page.evaluate<string>(read),
    (focused) => focused.includes(text),
  )
}

/** Presses Tab until the button has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let step = 0; step < 200; step++) {
    if ((await focusedText(page)) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reaches ${name}`)
}

/** Whether the focused element differs from how it looks without the focus. */
export function isFocusSeen(page: Page): Promise<boolean> {
  return page.evaluate(`(() => {
    const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement)
    return outlineStyle !== 'none' || boxShadow !== 'none'
  })()`)
}

/** Opens the command palette and waits until it takes what is typed. */
export async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await eventually(
    () => page.evaluate<string>(`document.activeElement?.getAttribute('role') ?? ''`),
    (role) => role === 'combobox',
  )
}

/** A new page takes the focus itself. Whoever moved it before that would lose it again. */
export async function awaitNewPage(page: Page): Promise<void> {
  await eventually(
    () => page.evaluate<string>(`document.activeElement?.tagName ?? ''`),
    (name) => name === 'MAIN',
  )
}
