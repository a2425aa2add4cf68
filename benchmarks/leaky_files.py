"""Made-up files with secrets, each of a kind that people leak, as its program's manual describes it.

The kinds stand in one list, in two halves: rules are chosen on the first, the other is only reported. Values
are drawn from a seed: random ones, such as people think up, and such as look like a placeholder but are not.
What is secret stands between two marks while a file is made. Beside the files stand lines that look alike.
"""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable, Iterator
from typing import NamedTuple

OPEN, CLOSE = "\ue000", "\ue001"
_ALNUM = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_WORDS = (
    "Sommer dragon monkey football baseball shadow master welcome flower sunshine cheese coffee "
    "ranger hunter tiger pepper ginger silver guitar orange banana diamond thunder winter falcon yellow "
    "purple maggie"
).split()
_WEAK = (
    "password secret admin root test1234 changeme1 letmein passw0rd qwerty123 Password1! example123 "
    "mypassword default123 supersecret toor pass1234 demo guest123 postgres secret123"
).split()
_USERS = "alice bob deploy root admin www-data carol dave app svc-build".split()
_HOSTS = (
    "db.shop-prod.net 10.0.3.17 mail.acme-corp.org ftp.acme-corp.org cache.internal.io example.net".split()
)


class Leak(NamedTuple):
    """A file: its kind, its text, and the places of the secrets in it (start, end)."""

    kind: str
    text: str
    secrets: tuple[tuple[int, int], ...]


class Draw:
    """Values from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def of(self, alphabet: str, length: int) -> str:
        """Return a random text over an alphabet."""
        return "".join(self._random.choice(alphabet) for _ in range(length))

    def one(self, items: list[str]) -> str:
        """Return one of some texts."""
        return self._random.choice(items)

    def password(self) -> str:
        """Return a password, marked: random, thought up, or weak."""
        form = self._random.randrange(4)
        if form == 0:
            made = self.of(_ALNUM + "!#%+-_", self._random.randrange(10, 22))
            made = f"{self.of(string.ascii_letters, 1)}{made}{self.of(_ALNUM, 1)}"
        elif form == 1:
            made = f"{self.one(_WORDS)}{self._random.randrange(10, 2030)}{self.one(['', '!', '#', '?'])}"
        elif form == 2:
            made = (
                f"{self.one(_WORDS)}{self.one(['-', '_', ''])}{self.one(_WORDS)}{self._random.randrange(100)}"
            )
        else:
            made = self.one(_WEAK)
        return marked(made)

    def hex(self, length: int) -> str:
        """Return a random hexadecimal text, marked."""
        return marked(self.of(_HEX, length))

    def token(self, length: int = 40, more: str = "") -> str:
        """Return a random text of letters and digits, marked."""
        return marked(self.of(_ALNUM + more, length))

    def base64(self, size: int) -> str:
        """Return the base64 of random bytes, not marked."""
        return base64.b64encode(self._random.randbytes(size)).decode()

    def user(self) -> str:
        """Return a user's name."""
        return self.one(_USERS)

    def host(self) -> str:
        """Return a host."""
        return self.one(_HOSTS)

    def lines64(self, count: int) -> str:
        """Return lines of base64, each marked."""
        return "\n".join(marked(self.base64(48)) for _ in range(count))


def marked(text: str) -> str:
    """Return a secret between its marks."""
    return f"{OPEN}{text}{CLOSE}"


def _crypt(d: Draw) -> str:
    form = d.one(["6", "5", "1", "y", "2y"])
    b = string.ascii_letters + string.digits + "./"
    if form == "2y":
        return marked(f"$2y$10${d.of(b, 53)}")
    if form == "y":
        return marked(f"$y$j9T${d.of(b, 22)}${d.of(b, 43)}")
    return marked(f"${form}${d.of(b, 8)}${d.of(b, {'6': 86, '5': 43, '1': 22}[form])}")


def _bashrc(d: Draw) -> str:
    return f"""# ~/.bashrc
alias ll='ls -la'
export EDITOR=vim
export AWS_ACCESS_KEY_ID={marked("AKIA" + d.of(string.ascii_uppercase + "234567", 16))}
export AWS_SECRET_ACCESS_KEY={d.token(40, "+/")}
export GITHUB_TOKEN={marked("ghp_" + d.of(_ALNUM, 36))}
export HOMEBREW_GITHUB_API_TOKEN="{d.hex(40)}"
export DB_PASSWORD='{d.password()}'
alias prod='mysql -h {d.host()} -u {d.user()} -p{d.password()} shop'
"""


def _history(d: Draw) -> str:
    return f"""cd shop
mysql -u root -p{d.password()} shop
mysqldump --user={d.user()} --password={d.password()} shop > dump.sql
PGPASSWORD={d.password()} psql -h {d.host()} shop
sshpass -p '{d.password()}' ssh {d.user()}@{d.host()}
curl -u {d.user()}:{d.password()} https://api.acme-corp.org/v1/orders
docker login -u {d.user()} -p {d.password()} registry.acme-corp.org
redis-cli -h {d.host()} -a {d.password()} ping
curl -H 'X-Api-Key: {d.token(32)}' https://api.acme-corp.org
wget --user={d.user()} --password='{d.password()}' https://{d.host()}/x.zip
git status
"""


def _dotenv(d: Draw) -> str:
    return f"""APP_NAME=Shop
APP_ENV=production
APP_KEY=base64:{marked(d.base64(32))}
DB_HOST={d.host()}
DB_DATABASE=shop
DB_USERNAME={d.user()}
DB_PASSWORD={d.password()}
REDIS_PASSWORD={d.password()}
MAIL_HOST=smtp.mailtrap.io
MAIL_USERNAME={d.user()}
MAIL_PASSWORD={d.password()}
PUSHER_APP_SECRET={d.hex(20)}
JWT_SECRET={d.token(64)}
STRIPE_SECRET={marked("sk_live_" + d.of(_ALNUM, 24))}
"""


def _wp_config(d: Draw) -> str:
    salt = _ALNUM + "!@#%^&*()-_=+[]{}|;:,.<>/? ~`$"
    keys = ("AUTH_KEY", "SECURE_AUTH_KEY", "LOGGED_IN_KEY", "NONCE_KEY", "AUTH_SALT", "SECURE_AUTH_SALT")
    salts = "\n".join(f"define('{key}', {' ' * (18 - len(key))}'{marked(d.of(salt, 64))}');" for key in keys)
    return f"""<?php
define('DB_NAME', 'wordpress');
define('DB_USER', '{d.user()}');
define('DB_PASSWORD', '{d.password()}');
define('DB_HOST', 'localhost');
{salts}
$table_prefix = 'wp_';
define('WP_DEBUG', false);
"""


def _rails(d: Draw) -> str:
    return f"""development:
  secret_key_base: {d.hex(128)}

test:
  secret_key_base: {d.hex(128)}

production:
  secret_key_base: {d.hex(128)}
  devise_pepper: {d.hex(64)}
  smtp_password: {d.password()}
"""


def _database_yml(d: Draw) -> str:
    return f"""production:
  adapter: postgresql
  host: {d.host()}
  username: {d.user()}
  password: {d.password()}
staging:
  adapter: mysql2
  username: root
  password: "{d.password()}"
"""


def _django(d: Draw) -> str:
    key = marked(d.of("abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)", 50))
    return f"""DEBUG = True
SECRET_KEY = '{key}'
DATABASES = {{
    'default': {{
        'ENGINE': 'django.db.backends.postgresql',
        'NAME': 'shop',
        'USER': '{d.user()}',
        'PASSWORD': '{d.password()}',
        'HOST': '{d.host()}',
    }}
}}
EMAIL_HOST_PASSWORD = '{d.password()}'
"""


def _pgpass(d: Draw) -> str:
    rows = [f"{d.host()}:5432:shop:{d.user()}:{d.password()}" for _ in range(3)]
    return "\n".join(("# host:port:database:user:password", *rows, f"*:*:*:{d.user()}:{d.password()}", ""))


def _netrc(d: Draw) -> str:
    return f"""machine api.heroku.com
  login {d.user()}@acme-corp.org
  password {d.token(36, "-")}
machine git.heroku.com
  login {d.user()}@acme-corp.org
  password {d.password()}
machine {d.host()} login {d.user()} password {d.password()}
default login anonymous password {d.password()}
"""


def _npmrc(d: Draw) -> str:
    auth = base64.b64encode(f"{d.user()}:{d.of(_ALNUM, 12)}".encode()).decode()
    return f"""registry=https://registry.example.org/
_auth={marked(auth)}
email={d.user()}@acme-corp.org
always-auth=true
//registry.example.org/:_authToken={marked("npm_" + d.of(_ALNUM, 36))}
//npm.acme-corp.org/:_authToken={d.token(36, "-")}
//npm.acme-corp.org/:_password={marked(base64.b64encode(d.of(_ALNUM, 10).encode()).decode())}
"""


def _htpasswd(d: Draw) -> str:
    b = _ALNUM + "./"
    return f"""{d.user()}:{marked(f"$apr1${d.of(b, 8)}${d.of(b, 22)}")}
{d.user()}:{marked(f"$2y$05${d.of(b, 53)}")}
{d.user()}:{{SHA}}{marked(d.base64(20))}
carol:{marked(d.of(b, 13))}
"""


def _shadow(d: Draw) -> str:
    return f"""root:{_crypt(d)}:18710:0:99999:7:::
daemon:*:18710:0:99999:7:::
sshd:!:18710::::::
{d.user()}:{_crypt(d)}:18999:0:99999:7:::
{d.user()}:{_crypt(d)}:19001:0:99999:7:::
"""


def _sftp_config(d: Draw) -> str:
    return f"""{{
    // sftp, ftp or ftps
    "type": "sftp",
    "host": "{d.host()}",
    "user": "{d.user()}",
    "password": "{d.password()}",
    //"port": "22",
    "remote_path": "/var/www/",
    //"ssh_key_file": "~/.ssh/id_rsa",
}}
"""


def _vscode_sftp(d: Draw) -> str:
    return f"""{{
  "name": "prod", "protocol": "ftp", "port": 21,
  "host": "{d.host()}",
  "username": "{d.user()}",
  "password": "{d.password()}",
  "passphrase": "{d.password()}",
  "uploadOnSave": true
}}
"""


def _jenkins(d: Draw) -> str:
    return f"""<com.cloudbees.plugins.credentials.SystemCredentialsProvider>
  <com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl>
    <scope>GLOBAL</scope>
    <id>deploy-bot</id>
    <username>{d.user()}</username>
    <password>{marked("{AQAAABAAAAAQ" + d.base64(48) + "}")}</password>
  </com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl>
  <org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl>
    <secret>{marked("{AQAAABAAAAAQ" + d.base64(32) + "}")}</secret>
  </org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl>
  <passphrase>{d.password()}</passphrase>
</com.cloudbees.plugins.credentials.SystemCredentialsProvider>
"""


def _filezilla(d: Draw) -> str:
    encoded = marked(base64.b64encode(f"{d.of(_ALNUM, 9)}".encode()).decode())
    return f"""<FileZilla3>
  <Servers>
    <Server>
      <Host>{d.host()}</Host>
      <Port>21</Port>
      <User>{d.user()}</User>
      <Pass encoding="base64">{encoded}</Pass>
      <Logontype>1</Logontype>
    </Server>
    <Server>
      <Host>{d.host()}</Host>
      <Pass>{d.password()}</Pass>
    </Server>
  </Servers>
</FileZilla3>
"""


def _docker_config(d: Draw) -> str:
    def auth() -> str:
        return marked(base64.b64encode(f"{d.user()}:{d.of(_ALNUM, 14)}".encode()).decode())

    return f"""{{
    "auths": {{
        "https://index.docker.io/v1/": {{
            "auth": "{auth()}"
        }},
        "registry.acme-corp.org": {{
            "auth": "{auth()}",
            "email": "dev@acme-corp.org"
        }}
    }},
    "HttpHeaders": {{ "User-Agent": "Docker-Client/19.03.1 (linux)" }}
}}
"""


def _dockercfg(d: Draw) -> str:
    auth = marked(base64.b64encode(f"{d.user()}:{d.of(_ALNUM, 11)}".encode()).decode())
    return f'{{"https://quay.io/v1/": {{"email": "a@acme-corp.org", "auth": "{auth}"}}}}\n'


def _id_rsa(d: Draw) -> str:
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    return f"{begin}\n{d.lines64(12)}\n{marked(d.base64(20))}\n{end}\n"


def _openssh_key(d: Draw) -> str:
    begin, end = "-----BEGIN OPENSSH PRIVATE KEY-----", "-----END OPENSSH PRIVATE KEY-----"
    return f"{begin}\n{d.lines64(7)}\n{marked(d.base64(14))}\n{end}\n"


def _ppk(d: Draw) -> str:
    public = "\n".join(d.base64(48) for _ in range(3))
    return f"""PuTTY-User-Key-File-2: ssh-rsa
Encryption: none
Comment: rsa-key-20200101
Public-Lines: 3
{public}
Private-Lines: 4
{d.lines64(4)}
Private-MAC: {d.of(_HEX, 40)}
"""


def _git_credentials(d: Draw) -> str:
    return f"""https://{d.user()}:{d.password()}@github.com
https://{d.user()}:{marked("ghp_" + d.of(_ALNUM, 36))}@github.com
http://{d.user()}:{d.hex(40)}@git.acme-corp.org:3000
"""


def _hub(d: Draw) -> str:
    return f"""github.com:
- user: {d.user()}
  oauth_token: {d.hex(40)}
  protocol: https
"""


def _tfvars(d: Draw) -> str:
    return f"""region         = "eu-west-1"
db_username    = "{d.user()}"
db_password    = "{d.password()}"
admin_password = "{d.password()}"
api_token      = "{d.token(40)}"
access_key     = "{marked("AKIA" + d.of(string.ascii_uppercase + "234567", 16))}"
secret_key     = "{d.token(40, "+/")}"
instance_count = 3
"""


def _kubeconfig(d: Draw) -> str:
    return f"""apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t{d.base64(60)}
    server: https://10.0.0.1:6443
users:
- name: admin
  user:
    client-key-data: {marked("LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ" + d.base64(90))}
- name: ci
  user:
    token: {d.token(64, "-_")}
- name: basic
  user:
    username: {d.user()}
    password: {d.password()}
"""


def _compose(d: Draw) -> str:
    return f"""services:
  db:
    image: postgres:15
    environment:
      POSTGRES_USER: {d.user()}
      POSTGRES_PASSWORD: {d.password()}
  mysql:
    environment:
      - MYSQL_ROOT_PASSWORD={d.password()}
      - MYSQL_DATABASE=shop
  app:
    environment:
      DATABASE_URL: postgres://{d.user()}:{d.password()}@db:5432/shop
      RABBITMQ_DEFAULT_PASS: {d.password()}
    command: redis-server --requirepass {d.password()}
"""


def _sql_dump(d: Draw) -> str:
    b = _ALNUM + "./"
    return f"""CREATE TABLE `users` (`id` int, `email` varchar(255), `password` varchar(255));
INSERT INTO `users` VALUES (1,'a@acme-corp.org','{marked(f"$2y$10${d.of(b, 53)}")}');
INSERT INTO `users` VALUES (2,'b@acme-corp.org','{marked(f"$2a$12${d.of(b, 53)}")}');
INSERT INTO users (id, name, password) VALUES (3, 'carol', '{d.password()}');
INSERT INTO users (id, name, password) VALUES (4, 'dave', '{marked(d.of(_HEX, 32))}');
CREATE USER '{d.user()}'@'localhost' IDENTIFIED BY '{d.password()}';
ALTER USER {d.user()} WITH PASSWORD '{d.password()}';
GRANT ALL ON shop.* TO 'app'@'%' IDENTIFIED BY '{d.password()}';
"""


def _wordpress_dump(d: Draw) -> str:
    b = _ALNUM + "./"
    rows = ",\n".join(
        f"({n}, 'user{n}', '{marked(f'$P$B{d.of(b, 30)}')}', 'user{n}', 'u{n}@acme-corp.org', '')"
        for n in range(1, 4)
    )
    return f"INSERT INTO `wp_users` (`ID`, `user_login`, `user_pass`, `user_nicename`) VALUES\n{rows};\n"


def _robomongo(d: Draw) -> str:
    return f"""{{
    "connections": [ {{
        "connectionName": "prod",
        "serverHost": "{d.host()}",
        "credentials": [ {{
            "databaseName": "admin",
            "mechanism": "SCRAM-SHA-1",
            "userName": "{d.user()}",
            "userPassword": "{d.password()}",
            "userPasswordEncrypted": "{d.token(44, "+/")}"
        }} ],
        "ssh": {{ "host": "{d.host()}", "userPassword": "{d.password()}", "passphrase": "{d.password()}" }}
    }} ]
}}
"""


def _mongoid(d: Draw) -> str:
    return f"""production:
  sessions:
    default:
      database: shop
      hosts:
        - {d.host()}:27017
      username: {d.user()}
      password: {d.password()}
"""


def _msmtprc(d: Draw) -> str:
    return f"""account work
host smtp.acme-corp.org
auth on
user {d.user()}@acme-corp.org
password {d.password()}

account home
user {d.user()}
password "{d.password()}"
"""


def _esmtprc(d: Draw) -> str:
    return f"""identity {d.user()}@acme-corp.org
hostname smtp.acme-corp.org:587
username "{d.user()}"
password "{d.password()}"
starttls required
"""


def _muttrc(d: Draw) -> str:
    return f"""set imap_user = "{d.user()}@acme-corp.org"
set imap_pass = "{d.password()}"
set smtp_url = "smtp://{d.user()}:{d.password()}@smtp.acme-corp.org:587/"
set smtp_pass = '{d.password()}'
"""


def _fetchmail(d: Draw) -> str:
    return f"""poll pop.acme-corp.org proto pop3 user "{d.user()}" password "{d.password()}" is carol here
poll imap.acme-corp.org
  user '{d.user()}' there with password '{d.password()}' is 'carol' here
"""


def _irssi(d: Draw) -> str:
    return f"""servers = (
  {{ address = "irc.libera.chat"; chatnet = "libera"; port = "6667"; password = "{d.password()}"; }}
);
chatnets = {{ libera = {{
  autosendcmd = "/msg NickServ identify {d.password()}"; sasl_password = "{d.password()}"; }}; }};
"""


def _java_properties(d: Draw) -> str:
    return f"""spring.datasource.url=jdbc:mysql://{d.host()}:3306/shop
spring.datasource.username={d.user()}
spring.datasource.password={d.password()}
server.ssl.key-store=classpath:keystore.p12
server.ssl.key-store-password={d.password()}
javax.net.ssl.trustStorePassword={d.password()}
keyPassword={d.password()}
"""


def _jdbc(d: Draw) -> str:
    return f"""jdbc:postgresql://{d.host()}:5432/shop?user={d.user()}&password={d.password()}
jdbc:sqlserver://{d.host()}:1433;databaseName=shop;user={d.user()};password={d.password()};encrypt=true
amqp://{d.user()}:{d.password()}@{d.host()}:5672/vhost
redis://:{d.password()}@{d.host()}:6379/0
mongodb+srv://{d.user()}:{d.password()}@cluster0.mongodb.net/shop
Server={d.host()};Database=shop;User Id={d.user()};Password={d.password()};
"""


def _web_config(d: Draw) -> str:
    return f"""<configuration>
  <connectionStrings>
    <add name="Db" connectionString="Server={d.host()};Database=shop;Uid={d.user()};Pwd={d.password()};" />
  </connectionStrings>
  <appSettings>
    <add key="SmtpPassword" value="{d.password()}" />
    <add key="ApiKey" value="{d.token(32)}" />
  </appSettings>
  <system.web><machineKey validationKey="{d.hex(64)}" decryptionKey="{d.hex(48)}" /></system.web>
</configuration>
"""


def _maven(d: Draw) -> str:
    return f"""<settings>
  <servers>
    <server>
      <id>nexus</id>
      <username>{d.user()}</username>
      <password>{d.password()}</password>
    </server>
  </servers>
</settings>
"""


def _ansible(d: Draw) -> str:
    return f"""[web]
{d.host()} ansible_user={d.user()} ansible_ssh_pass={d.password()}
[web:vars]
ansible_become_pass={d.password()}
ansible_become_password='{d.password()}'
mysql_root_password={d.password()}
"""


def _travis(d: Draw) -> str:
    return f"""language: ruby
env:
  global:
    - DEPLOY_TOKEN={d.hex(40)}
    - NPM_PASSWORD="{d.password()}"
deploy:
  provider: rubygems
  api_key: {d.hex(32)}
"""


def _s3cfg(d: Draw) -> str:
    return f"""[default]
access_key = {marked("AKIA" + d.of(string.ascii_uppercase + "234567", 16))}
secret_key = {d.token(40, "+/")}
gpg_passphrase = {d.password()}
bucket_location = US
use_https = True
"""


def _tugboat(d: Draw) -> str:
    return f"""---
authentication:
  access_token: {d.hex(64)}
  client_key: {d.token(32)}
  api_key: {d.hex(32)}
ssh:
  ssh_user: root
"""


def _heroku_json(d: Draw) -> str:
    return f"""{{"addons": ["heroku-postgresql"], "env": {{
  "HEROKU_API_KEY": "{marked("-".join(d.of(_HEX, n) for n in (8, 4, 4, 4, 12)))}",
  "SESSION_SECRET": "{d.hex(64)}"
}}}}
"""


def _firefox(d: Draw) -> str:
    return f"""{{"nextId": 2, "logins": [{{"id": 1, "hostname": "https://acme-corp.org",
"encryptedUsername": "{d.token(52, "+/")}",
"encryptedPassword": "{d.token(52, "+/")}",
"guid": "{{{d.of(_HEX, 8)}-0000-0000-0000-000000000000}}"}}]}}
"""


def _dbeaver(d: Draw) -> str:
    return f"""<data-sources>
  <data-source id="postgres-1" provider="postgresql" name="prod">
    <connection host="{d.host()}" port="5432" user="{d.user()}" password="{d.token(24, "+/")}"/>
  </data-source>
</data-sources>
"""


def _idea_servers(d: Draw) -> str:
    return f"""<project version="4">
  <component name="WebServers">
    <option name="servers">
      <webServer id="1" name="prod" url="http://{d.host()}">
        <fileTransfer host="{d.host()}" port="21" username="{d.user()}" password="{d.hex(24)}"/>
      </webServer>
    </option>
  </component>
</project>
"""


def _remote_sync(d: Draw) -> str:
    return f"""{{
  "transport": "scp",
  "hostname": "{d.host()}",
  "username": "{d.user()}",
  "password": "{d.password()}",
  "target": "/srv/shop"
}}
"""


def _ftpconfig(d: Draw) -> str:
    return f"""{{
    "protocol": "ftp",
    "host": "{d.host()}",
    "user": "{d.user()}",
    "pass": "{d.password()}",
    "promptForPass": false,
    "remote": "/"
}}
"""


def _proftpd(d: Draw) -> str:
    b = _ALNUM + "./"
    return f"""{d.user()}:{marked(f"$1${d.of(b, 8)}${d.of(b, 22)}")}:1001:1001::/home/ftp:/bin/false
{d.user()}:{marked(f"$5${d.of(b, 16)}${d.of(b, 43)}")}:1002:1002::/home/ftp:/bin/false
"""


def _ventrilo(d: Draw) -> str:
    return f"""[Server]
Name=Our server
Phonetic=Our server
Auth=1
AdminPassword={d.password()}
Password={d.password()}
Port=3784
"""


def _php_config(d: Draw) -> str:
    return f"""<?php
$db_host = "localhost";
$db_user = "{d.user()}";
$db_password = "{d.password()}";
$dbpass = '{d.password()}';
$config['db']['password'] = '{d.password()}';
$conn = mysqli_connect("localhost", "{d.user()}", "{d.password()}", "shop");
"""


def _salesforce(d: Draw) -> str:
    return f"""const conn = new jsforce.Connection({{
  oauth2: {{ clientId: '3MVG9{d.of(_ALNUM, 60)}', clientSecret: '{d.of("123456789", 1)}{d.token(18)}' }},
}});
conn.login('{d.user()}@acme-corp.org', '{d.password()}', () => {{}});
const apiKey = '{d.token(32)}';
"""


def _master_key(d: Draw) -> str:
    return f"{d.hex(32)}\n"


def _deployment(d: Draw) -> str:
    hook = marked(f"T{d.of(_HEX.upper(), 8)}/B{d.of(_HEX.upper(), 8)}/{d.of(_ALNUM, 24)}")
    return f"""{{
  "production": {{
    "host": "{d.host()}", "user": "{d.user()}", "password": "{d.password()}",
    "slackWebhook": "https://hooks.slack.com/services/{hook}"
  }}
}}
"""


def _magento(d: Draw) -> str:
    return f"""<config><global>
  <crypt><key><![CDATA[{d.hex(32)}]]></key></crypt>
  <connection>
    <username><![CDATA[{d.user()}]]></username>
    <password><![CDATA[{d.password()}]]></password>
  </connection>
</global></config>
"""


def _tomcat(d: Draw) -> str:
    return f"""<tomcat-users>
  <role rolename="manager-gui"/>
  <user username="{d.user()}" password="{d.password()}" roles="manager-gui"/>
  <user username="deploy" password="{d.password()}" roles="manager-script"/>
</tomcat-users>
"""


def _mycnf(d: Draw) -> str:
    return f"""[client]
user = {d.user()}
password = {d.password()}
[mysqldump]
password="{d.password()}"
host={d.host()}
"""


def _wpa(d: Draw) -> str:
    return f"""network={{
    ssid="home"
    psk="{d.password()}"
    key_mgmt=WPA-PSK
}}
network={{
    ssid="office"
    psk={d.hex(64)}
}}
"""


def _rclone(d: Draw) -> str:
    return f"""[ftp_upload]
type = ftp
host = {d.host()}
user = {d.user()}
pass = {d.token(32, "-_")}
[s3]
type = s3
secret_access_key = {d.token(40, "+/")}
"""


def _slapd(d: Draw) -> str:
    return f"""rootdn "cn=admin,dc=acme,dc=org"
rootpw {{SSHA}}{marked(d.base64(24))}
bindpw {d.password()}
userPassword: {{SSHA}}{marked(d.base64(24))}
"""


def _pypirc(d: Draw) -> str:
    return f"""[distutils]
index-servers = pypi
[pypi]
username: {d.user()}
password: {d.password()}
[private]
repository: https://pypi.acme-corp.org
username = {d.user()}
password = {d.password()}
"""


def _composer(d: Draw) -> str:
    return f"""{{
  "http-basic": {{ "repo.acme-corp.org": {{ "username": "{d.user()}", "password": "{d.password()}" }} }},
  "github-oauth": {{ "github.com": "{d.hex(40)}" }}
}}
"""


def _slack_bot(d: Draw) -> str:
    return f"""slack:
  bot_token: {marked(f"xoxb-{d.of(string.digits, 12)}-{d.of(string.digits, 12)}-{d.of(_ALNUM, 24)}")}
  signing_secret: {d.hex(32)}
sendgrid:
  api_key: {marked("SG." + d.of(_ALNUM, 22) + "." + d.of(_ALNUM, 43))}
twilio:
  auth_token: {d.hex(32)}
"""


def _gcp(d: Draw) -> str:
    body = "\\n".join(d.base64(48) for _ in range(6))
    key = "-----BEGIN PRIVATE KEY-----\\n" + marked(body) + "\\n-----END PRIVATE KEY-----\\n"
    return f"""{{
  "type": "service_account",
  "private_key_id": "{d.of(_HEX, 40)}",
  "private_key": "{key}",
  "client_email": "svc@acme.iam.gserviceaccount.com"
}}
"""


def _config_py(d: Draw) -> str:
    return f"""SQLALCHEMY_DATABASE_URI = 'mysql://{d.user()}:{d.password()}@{d.host()}/shop'
SECRET_KEY = "{d.token(32)}"
ADMIN_PASSWORD = '{d.password()}'
client = Client(user='{d.user()}', password='{d.password()}')
auth = ('{d.user()}', '{d.password()}')
"""


# In pairs of a family: the first of each is for choosing, the second is only reported.
KINDS: tuple[tuple[str, Callable[[Draw], str]], ...] = (
    *(("bashrc", _bashrc), ("bash history", _history)),
    *((".env (Laravel)", _dotenv), ("docker-compose", _compose)),
    *(("wp-config.php", _wp_config), ("config.php", _php_config)),
    *(("Rails secrets.yml", _rails), ("Rails database.yml", _database_yml)),
    *(("Django settings", _django), ("Flask config.py", _config_py)),
    *((".pgpass", _pgpass), (".my.cnf", _mycnf)),
    *((".netrc", _netrc), ("msmtprc", _msmtprc)),
    *((".npmrc", _npmrc), (".pypirc", _pypirc)),
    *((".htpasswd", _htpasswd), ("proftpd passwd", _proftpd)),
    *(("shadow", _shadow), ("slapd.conf", _slapd)),
    *(("sftp-config.json", _sftp_config), (".vscode/sftp.json", _vscode_sftp)),
    *(("Jenkins credentials.xml", _jenkins), ("Maven settings.xml", _maven)),
    *(("FileZilla", _filezilla), ("tomcat-users.xml", _tomcat)),
    *(("docker config.json", _docker_config), (".dockercfg", _dockercfg)),
    *(("id_rsa", _id_rsa), ("OpenSSH key", _openssh_key)),
    *((".git-credentials", _git_credentials), ("hub", _hub)),
    *(("terraform.tfvars", _tfvars), (".s3cfg", _s3cfg)),
    *(("kubeconfig", _kubeconfig), ("GCP key", _gcp)),
    *(("SQL dump", _sql_dump), ("WordPress dump", _wordpress_dump)),
    *(("robomongo.json", _robomongo), ("mongoid.yml", _mongoid)),
    *(("esmtprc", _esmtprc), ("muttrc", _muttrc)),
    *(("Java properties", _java_properties), ("connection addresses", _jdbc)),
    *(("web.config", _web_config), ("Magento local.xml", _magento)),
    *(("Ansible inventory", _ansible), ("Travis", _travis)),
    *(("tugboat", _tugboat), ("heroku.json", _heroku_json)),
    *(("Firefox logins.json", _firefox), ("DBeaver", _dbeaver)),
    *(("IDEA WebServers.xml", _idea_servers), ("remote-sync.json", _remote_sync)),
    *((".ftpconfig", _ftpconfig), ("ventrilo_srv.ini", _ventrilo)),
    *(("salesforce.js", _salesforce), ("deployment-config.json", _deployment)),
    *(("PuTTY key", _ppk), ("master.key", _master_key)),
    *(("wpa_supplicant", _wpa), ("rclone.conf", _rclone)),
    *(("irssi", _irssi), ("fetchmailrc", _fetchmail)),
    *(("composer auth.json", _composer), ("bot tokens", _slack_bot)),
)


def leaks(files: int = 12, seed: int = 7) -> Iterator[Leak]:
    """Yield so many files of each kind."""
    for number, (kind, make) in enumerate(KINDS):
        for at in range(files):
            text, places, parts = "", [], make(Draw(seed * 10_000 + number * 100 + at)).split(OPEN)
            for part in parts:
                secret, close, rest = part.partition(CLOSE)
                if close:
                    places.append((len(text), len(text) + len(secret)))
                text += f"{secret}{rest}"
            yield Leak(kind, text, tuple(places))


ORDINARY = r"""
password: str
password: str | None = None
password = get_password()
password = os.environ["DB_PASSWORD"]
self.password = password
def login(user: str, password: str) -> Token:
user.password = hash_password(form.password.data)
password is required
Password must be at least 8 characters long
"password": "Passwort",
"password": "Mot de passe",
"forgotPassword": "Forgot your password?",
<label for="password">Password</label>
<input type="password" name="password" placeholder="Your password">
<password>${env.DB_PASSWORD}</password>
<user username="${user}" password="${password}"/>
<secret name="db"/>
<Pass>
token = next(tokens)
token = tokenizer.next_token()
token: Token
access_token = response.json()["access_token"]
api_key = settings.API_KEY
API_KEY=$API_KEY
API_KEY=${API_KEY:?set it}
DB_PASSWORD=
DB_PASSWORD=<your password>
POSTGRES_PASSWORD: ${POSTGRES_PASSWORD}
POSTGRES_PASSWORD_FILE: /run/secrets/db
password: ${{ secrets.DOCKER_PASSWORD }}
password: "{{ vault_db_password }}"
password = var.db_password
secret_key_base: <%= ENV["SECRET_KEY_BASE"] %>
echo $TOKEN | docker login --username me --password-stdin
docker run -p 8080:80 -p 443:443 nginx
mysql -u root -p shop
mkdir -p build/cache && ps -p 1234
ssh -p 2222 host
psql -h localhost -p 5432 -U postgres
tar -a -cf out.tar src
cp -a source target
curl -u "$USER:$PASS" https://api.example.com
curl https://example.com/users/1234/repos
passwd: files systemd
root:x:0:0:root:/root:/bin/bash
daemon:*:18710:0:99999:7:::
nobody:!:18710::::::
listen [::]:80 default_server;
00:1A:2B:3C:4D:5E
12:30:45:678 INFO started
localhost:5432:database:user:password format of the file
host:port:database:username:password
machine learning models login to the registry
The machine has a login prompt and a password field.
default login page of the password manager
a password manager stores each password encrypted
the auth header holds the token
auth on
auth: true
"auth": "bearer",
"auth": "required"
"auths": {}
_auth is deprecated
always-auth=true
"integrity": "sha512-vQ0QkZTz7n1i5o8f6bq0mXx8mB1W2s9v3m5J8y2l6Zt4n0p1c7d9e3f5g7h9i1j3k5l7m9n1o3p5q7r9s1t3u5=="
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
commit 3f786850e387550fdab836ed7e6dc881de23001b
"resolved": "https://registry.example.org/a/-/a-1.0.0.tgz#da39a3ee5e6b4b0d3255bfef95601890afd80709"
id: 550e8400-e29b-41d4-a716-446655440000
key: 550e8400-e29b-41d4-a716-446655440000
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1kM0pQ0q3m2v9y8x7w6u5t4s3r2q1p0o9n8m7l6k5j alice@host
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE-----
CREATE TABLE users (id int, password varchar(255) NOT NULL);
ALTER TABLE users ADD COLUMN password text;
INSERT INTO roles (id, name) VALUES (3, 'administrator');
INSERT INTO `posts` VALUES (1,'Hello world','How to reset a password');
UPDATE users SET password = ? WHERE id = ?
SELECT password FROM users WHERE name = 'carol'
CREATE USER app IDENTIFIED BY :password
const password = document.getElementById('password').value
const { password } = req.body
password: z.string().min(8)
password: { type: String, required: true }
private String password;
@Column(name = "password")
setPassword(passwordEncoder.encode(password))
expect(page.getByLabel("Password")).toBeVisible()
client = Client(user=user, password=password)
mysqli_connect($host, $user, $password, $db);
auth = (user, password)
auth=HTTPBasicAuth(user, password)
conn.login(username, password, callback)
login(user, callback)
key_mgmt=WPA-PSK
psk = math.sqrt(4)
set mouse=a
set password = ask
user there with password protected mailbox
identify the cause
IDENTIFIED BY clause
/msg NickServ help
"email": "dev@acme-corp.org",
"github.com": "https://github.com/acme/shop",
"private_key_id" names the key
secret: projects/acme/secrets/db/versions/latest
secretName: db-credentials
secretKeyRef: { name: db, key: password }
client_id: web-frontend
clientId: 'shop-frontend'
passphrase: ask every time
sasl_password is set in the other file
rootpw must not be empty
bindpw is read from a file
cookie: session
--requirepass is set by the operator
pass the value to the function
pass = True
pass: 12 fail: 0
"pass": true,
"pass": 12,
passed=12 failed=3
tests pass: all
pass_filenames: false
<password/>
<add key="Theme" value="dark" />
<add key="PageSize" value="25" />
<key>CFBundleName</key>
<key><![CDATA[title]]></key>
value="submit"
public_key = load_key(path)
primary_key=True
foreign_key: user_id
keyboard = "qwerty"
sort_key = lambda x: x.name
machineKey is rotated by the load balancer
Private-Lines are not shown
token_type: bearer
tokens: 4096
max_tokens=1200
csrf_token()
{% csrf_token %}
"""


def ordinary() -> tuple[str, ...]:
    """Return lines of text and code that look alike and hold no secret."""
    return tuple(line for line in ORDINARY.splitlines() if line.strip())
