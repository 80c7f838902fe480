/** Reads a secret from a file, a command or an environment variable. Errors name the place, never what is in it. */
import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import type { ReadSecret, SecretRef } from '../ports/secret-ref.ts'

const MAX_BYTES = 64 * 1024
const COMMAND_TIMEOUT_MS = 30_000
const OTHERS_MAY_READ = 0o004

export function createReadSecret(warn: (message: string) => void): ReadSecret {
  return async (ref) => {
    const secret = (await read(ref, warn)).replace(/[\r\n]+$/, '')
    if (secret === '') throw new Error(`${describeRef(ref)} is empty`)
    return secret
  }
}

export function describeRef(ref: SecretRef): string {
  switch (ref.type) {
    case 'file':
      return `the file ${ref.path}`
    case 'command':
      return `the output of the command ${ref.command.split(/\s/, 1)[0]}`
    case 'variable':
      return `the environment variable ${ref.name}`
  }
}

async function read(ref: SecretRef, warn: (message: string) => void): Promise<string> {
  if (ref.type === 'variable') return process.env[ref.name] ?? ''
  return ref.type === 'file' ? await readSmallFile(ref.path, warn) : await runCommand(ref)
}

/** A file with a secret in it. */
export async function readSmallFile(path: string, warn: (message: string) => void): Promise<string> {
  try {
    const { size, mode } = await stat(path)
    if (size > MAX_BYTES) throw Object.assign(new Error(), { code: 'too large' })
    if (process.platform !== 'win32' && (mode & OTHERS_MAY_READ) !== 0)
      warn(`every user of this machine can read ${path}: run chmod 600`)
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new Error(`cannot read ${path}: ${codeOf(error)}`)
  }
}

/** Its output and its errors are not shown: both may contain the secret. */
function runCommand(ref: Extract<SecretRef, { type: 'command' }>): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: COMMAND_TIMEOUT_MS, maxBuffer: MAX_BYTES, encoding: 'utf8' } as const
    execFile('/bin/sh', ['-c', ref.command], options, (error, stdout) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${describeRef(ref)} cannot be read: the command failed (${codeOf(error)})`))
    })
  })
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return 'unknown error'
  return error.code === null
    ? 'timed out'
    : typeof error.code === 'number'
      ? `exit code ${error.code}`
      : String(error.code)
}
