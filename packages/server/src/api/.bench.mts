import { createTestApi, SIGNER, TARGET } from './create-test-api.suite.ts'
import { listen } from './listen.ts'
import http from 'node:http'
const api = await createTestApi({ services: {} })
const url = new URL(await listen(api.server, {host:'127.0.0.1', port:0}))
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
function post(i: number, key: boolean) { return new Promise<number>((ok, no) => {
  const body = JSON.stringify({ from: SIGNER, to: TARGET, value: String(i), ...(key && {requestId: 'r'+i}), simulate: key })
  const req = http.request({ agent, host: url.hostname, port: url.port, path: '/v1/transactions', method: 'POST', headers: {'content-type':'application/json','content-length': Buffer.byteLength(body)} }, (res) => { res.resume(); res.on('end', () => ok(res.statusCode ?? 0)) })
  req.on('error', no); req.end(body) }) }
for (const key of [false, true, false]) {
  const n = 4000; let i = 0; const codes = new Map<number, number>()
  const cpu = process.cpuUsage(); const t = performance.now()
  await Promise.all(Array.from({length: 64}, async () => { while (i < n) { const c = await post(i++ + (key?1e6:0), key); codes.set(c,(codes.get(c)??0)+1) } }))
  const used = process.cpuUsage(cpu)
  console.log({key, rps: Math.round(n/((performance.now()-t)/1000)), cpuUsPerReqBothSides: Math.round((used.user+used.system)/n), codes})
}
await api.server.close(); agent.destroy()
