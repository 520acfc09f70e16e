// A person in Chromium for the OAuth suites: signs in, reads what an
// application asks for, and agrees or not. With it the applications they use.

const http = require('node:http');
const { chromium } = require('playwright-core');
const { api, url } = require('./server.cjs');

// An application of the instance: `application_id` and `secret`.
function register(redirectUri, scopes, confidential) {
  return api('POST', '/applications', {
    name: 'A stock client',
    redirect_uri: redirectUri,
    scopes,
    confidential,
  });
}

// An address of this machine that applications are sent back to.
async function listen(answer = (_, response) => response.end('back')) {
  const server = http.createServer(answer);
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

class Person {
  static async start() {
    // The stories sign in more often than one person would.
    await api('PUT', '/application/settings', { sign_in_limit_per_minute: 1000 });
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu'],
    });
    return new Person(browser, await browser.newContext());
  }

  constructor(browser, context) {
    this.browser = browser;
    this.context = context;
  }

  // Goes where an application sends them, and presses `button` on the pages
  // of the server until they lead away from it; answers the page there.
  async visit(address, button = 'Authorize') {
    const page = await this.open(address);
    await this.decide(page, button);
    return page;
  }

  async open(address) {
    const page = await this.context.newPage();
    await page.goto(String(address));
    return page;
  }

  async decide(page, button = 'Authorize') {
    while (new URL(page.url()).origin === url) {
      const before = page.url();
      if (new URL(before).pathname === '/users/sign_in') await this.signIn(page);
      else await page.getByRole('button', { name: button }).click();
      await page.waitForURL((now) => now.href !== before);
    }
  }

  async signIn(page) {
    await page.getByLabel('User name or e-mail').fill('root');
    await page.getByLabel('Password').fill(process.env.TENON_ROOT_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  // The address that an application is sent back to.
  async sentBack(address, button) {
    const page = await this.visit(address, button);
    const back = new URL(page.url());
    await page.close();
    return back;
  }

  // Types the code that a device shows, and presses `button`.
  async connectDevice(address, code, button = 'Authorize') {
    const page = await this.open(address);
    if (new URL(page.url()).pathname === '/users/sign_in') {
      await this.signIn(page);
      await page.waitForURL(address);
    }
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: button }).click();
    await page.waitForURL(/\/oauth\/device\/confirm/);
    await page.close();
  }

  stop() {
    return this.browser.close();
  }
}

module.exports = { Person, api, listen, register, url };
