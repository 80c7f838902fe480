/** The line above every figure: how to get it again, and where this one comes from. */
import type { RunPlace } from '../describe-run.ts'

export function presentPlace({
  command,
  commit,
  machine,
  tookMs,
}: RunPlace & { readonly command: string; readonly tookMs: number }): string {
  return `\`${command}\` at commit \`${commit}\` on ${machine}: ${(tookMs / 60_000).toFixed(1)} minutes.`
}

export function spellCount(value: number): string {
  return value.toLocaleString('en-US')
}
