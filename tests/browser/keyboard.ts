/** A person without a mouse: where the focus is, whether it is seen, and how to get it somewhere. */
import type { Page } from 'playwright-core'

export const focusedId = (page: Page) => page.evaluate('document.activeElement?.id')
export const focusedText = (page: Page) => page.evaluate('document.activeElement?.textContent')

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
