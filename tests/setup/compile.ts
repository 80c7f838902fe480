/** Vitest global setup: the service as JavaScript, since tests start it hundreds of times. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export default function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/compile.mjs', import.meta.url))], {
    stdio: 'inherit',
  })
}
