/** What the archive command does: page by page into a file, then the mark, then the next file. */
import { resolve } from 'node:path'
import type { Archive, ArchiveKind } from '@drover/server/admin'
import { ConfigProblems, resolveSettings } from '@drover/server/settings'
import type { Command } from 'commander'
import { type CommandContext, printLine } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { readConfigInput } from '../setup/setting-flags.ts'
import { createArchiveFile, findFinishedFile } from './archive-file.ts'
import { ARCHIVE_KINDS, type WrittenFile } from './archive-kinds.ts'
import { createArchiveView } from './archive-view.ts'

interface Options {
  readonly to: string
  readonly kind?: ArchiveKind
  readonly before?: string
  readonly fileLines: number
  readonly json?: boolean
}

interface Job {
  readonly archive: Archive
  readonly kind: ArchiveKind
  readonly folder: string
  /** Only what ended before, in milliseconds. */
  readonly before: number
  readonly fileLines: number
  readonly isStopped: () => boolean
  onProgress(lines: number, at: number): void
  onFile(file: WrittenFile): void
}

const PAGE = 200

export async function runArchive(command: Command, context: CommandContext): Promise<void> {
  const options = command.opts<Options>()
  const input = await readConfigInput(command, context)
  const { values, problems } = resolveSettings({ ...input, required: ['databaseUrl'] })
  if (problems.length > 0 || values.databaseUrl === undefined) throw new ConfigProblems(problems)
  const { openArchive } = await import('@drover/server/admin')
  const archive = await openArchive(values.databaseUrl)
  if (archive === null) {
    context.terminal.stderr.write('Another archive is running on this database.\n')
    return context.finish(EXIT.refused)
  }
  let isStopped = false
  const ignore = context.terminal.onSignal(() => {
    isStopped = true
  })
  const view = createArchiveView(context, options.json === true)
  const files: WrittenFile[] = []
  try {
    for (const kind of options.kind === undefined ? ARCHIVE_KINDS : [options.kind]) {
      await archiveKind({
        archive,
        kind,
        folder: resolve(context.terminal.folder, options.to),
        before: options.before === undefined ? Number.POSITIVE_INFINITY : Date.parse(options.before),
        fileLines: options.fileLines,
        isStopped: () => isStopped,
        onProgress: (lines, at) => view.progress(kind, lines, at),
        onFile: (file) => {
          files.push(file)
          view.file(file)
        },
      })
    }
  } finally {
    view.close()
    ignore()
    await archive.close()
  }
  printLine(context, options.json === true ? JSON.stringify({ files }) : summarize(files))
  context.finish(isStopped ? EXIT.interrupted : EXIT.ok)
}

async function archiveKind(job: Job): Promise<void> {
  const { archive, kind, folder } = job
  let mark = await archive.findMark(kind)
  while (!job.isStopped()) {
    // Finished by a run that ended before it could say so.
    const known = await findFinishedFile(folder, kind, mark)
    const last = known ?? (await writeFile(job, mark))
    await archive.moveMark(kind, mark, last)
    if (last === mark) return
    mark = last
  }
}

/** One file from this mark on. Returns the new mark; the same one if there was nothing. */
async function writeFile(job: Job, mark: number): Promise<number> {
  const { archive, kind, folder, before, fileLines } = job
  const file = await createArchiveFile(folder, kind, mark)
  let [lines, last] = [0, mark]
  try {
    while (lines < fileLines && !job.isStopped()) {
      const page = await archive.read(kind, last, Math.min(PAGE, fileLines - lines))
      const young = page.lines.findIndex(({ at }) => at >= before)
      const due = young < 0 ? page.lines : page.lines.slice(0, young)
      await file.write(due.map(({ json }) => json))
      lines += due.length
      last = (young < 0 ? page.reached : due.at(-1)?.number) ?? last
      if (due.length > 0) job.onProgress(lines, due.at(-1)?.at ?? 0)
      if (young >= 0 || page.reached === null) break
    }
  } catch (error) {
    await file.discard()
    throw error
  }
  if (lines === 0) {
    await file.discard()
    return last
  }
  job.onFile({ kind, path: await file.finish(last), lines })
  return last
}

function summarize(files: readonly WrittenFile[]): string {
  if (files.length === 0) return 'Nothing new to archive.'
  const sums = ARCHIVE_KINDS.map((kind) => [kind, files.filter((file) => file.kind === kind)] as const)
  const words = sums.map(([kind, of]) => `${of.reduce((sum, file) => sum + file.lines, 0)} ${NAMES[kind]}`)
  return `Archived ${words.join(', ')}.`
}

const NAMES: Readonly<Record<ArchiveKind, string>> = {
  transactions: 'transactions',
  events: 'events',
  audit: 'audit entries',
}
