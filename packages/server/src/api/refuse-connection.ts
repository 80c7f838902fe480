/** Answers what is not even HTTP, is too long or never ends; there is no request yet, so the answer is written by hand. */
import type { Socket } from 'node:net'
import { AppError } from '../core/app-error.ts'
import { PROBLEM_TYPE } from './contract/problem.ts'
import { presentProblem } from './present-problem.ts'

const DETAILS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
  HPE_HEADER_OVERFLOW: 'The headers are larger than 16 KiB.',
}

export function refuseConnection(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const detail = DETAILS[error.code ?? ''] ?? 'This is not a well-formed HTTP request.'
  const body = JSON.stringify(presentProblem(new AppError('invalid_request', detail)))
  const head = [
    'HTTP/1.1 400 Bad Request',
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.end(`${head.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`)
}
