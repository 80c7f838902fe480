/** Shows the progress of an archive on standard error: redrawn on a terminal, a line for each file elsewhere, nothing with JSON. */
import type { CommandContext } from '../command-context.ts'
import { createLiveArea } from '../output/live-area.ts'
import type { WrittenFile } from './archive-kinds.ts'

export interface ArchiveView {
  progress(kind: string, lines: number, at: number): void
  file(file: WrittenFile): void
  close(): void
}

export function createArchiveView({ terminal }: CommandContext, json: boolean): ArchiveView {
  if (json) return { progress: () => undefined, file: () => undefined, close: () => undefined }
  const area = terminal.stderr.isTTY === true ? createLiveArea(terminal.stderr) : null
  return {
    progress: (kind, lines, at) => area?.draw([`${kind}: ${lines} lines, up to ${new Date(at).toISOString()}`]),
    file: ({ path, lines }) => {
      area?.close()
      terminal.stderr.write(`${path}: ${lines} lines\n`)
    },
    close: () => area?.close(),
  }
}
