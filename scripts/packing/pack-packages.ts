/** Packs every published package into a tarball, and looks at what is in it. */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runProgram } from '../run-program.ts'
import { listPublished, type PublishedPackage } from './list-published.ts'
import { type StageOptions, stagePackage } from './stage-package.ts'

export interface PackedPackage extends PublishedPackage {
  /** The folder that was packed. */
  readonly stage: string
  readonly tarball: string
  readonly files: readonly string[]
  readonly packedBytes: number
  readonly unpackedBytes: number
}

/** In the order in which they can be published. */
export async function packPackages(options: StageOptions): Promise<readonly PackedPackage[]> {
  await mkdir(options.into, { recursive: true })
  return await Promise.all(listPublished(options.root).map((own) => packOne(own, options)))
}

async function packOne(own: PublishedPackage, options: StageOptions): Promise<PackedPackage> {
  const stage = await stagePackage(own, options)
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', options.into]
  const { code, stdout, output } = await runProgram('npm', args, stage)
  if (code !== 0) throw new Error(`npm pack failed for ${own.folder}:\n${output}`)
  const [report] = JSON.parse(stdout)
  return {
    ...own,
    stage,
    tarball: join(options.into, report.filename),
    files: report.files.map(({ path }: { readonly path: string }) => path),
    packedBytes: report.size,
    unpackedBytes: report.unpackedSize,
  }
}

const TESTS = /(?:^|\/)testing\/|\.(?:test|suite)\.|(?:^|\/)tests?\//
const SOURCES = /(?<!\.d)\.ts$|\.map$|\.tsbuildinfo$/
/** ELF, Windows and macOS programs. */
const PROGRAM_STARTS = ['7f454c46', '4d5a', 'cffaedfe', 'cafebabe']

/** What should not be in a tarball, or is missing from it. */
export async function findPackProblems({ manifest, stage, files }: PackedPackage): Promise<readonly string[]> {
  const problems: string[] = []
  for (const file of ['LICENSE', 'README.md', 'package.json'])
    if (!files.includes(file)) problems.push(`${manifest.name}: ${file} is missing`)
  for (const file of files) {
    const content = await readFile(join(stage, file))
    if (TESTS.test(file)) problems.push(`${manifest.name}: ${file} is a test`)
    if (SOURCES.test(file)) problems.push(`${manifest.name}: ${file} is of no use without the sources`)
    if (file.endsWith('.js') && /^\/\/# sourceMappingURL=/m.test(content.toString('utf8')))
      problems.push(`${manifest.name}: ${file} names a source map`)
    if (PROGRAM_STARTS.some((start) => content.subarray(0, 4).toString('hex').startsWith(start)))
      problems.push(`${manifest.name}: ${file} is a program`)
  }
  return problems
}
