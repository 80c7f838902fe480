/** Runs a program to its end and keeps what it said. */
import { spawn } from 'node:child_process'

export interface Ended {
  readonly code: number
  /** Both streams, in the order in which they were written. */
  readonly output: string
  readonly stdout: string
}

export function runProgram(program: string, args: readonly string[], folder: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output, stdout }))
  })
}
