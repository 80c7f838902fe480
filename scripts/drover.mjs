/** `npm run drover`: the command line of this clone, compiled first if something has changed. */
import { fileURLToPath } from 'node:url'
import './compile.mjs'
import { buildPage, servesPage } from './build-page.mjs'

if (servesPage(process.argv.slice(2))) {
  const folder = fileURLToPath(new URL('../packages/dashboard', import.meta.url))
  buildPage(folder, (line) => void process.stderr.write(`${line}\n`))
}

if (process.argv[2] === 'simulate' && !process.argv.includes('--help')) {
  const { buildSimulator } = await import('./build-simulator.mjs')
  await buildSimulator()
}

await import('../packages/cli/dist/main.js')
