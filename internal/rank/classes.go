package rank

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// Classes of words let the model recognize a new text that uses other words than the texts it learned from. A
// word may belong to several classes.

// The classes that aren't lists of words come last.
const (
	wordClasses   = 39 // the number of lists
	classTag      = wordClasses
	classCapitals = classTag + 1
	classCount    = classCapitals + 1
)

// A lexicon maps words and stems, in lower case, to their classes, one bit per class. A stem is the beginning that all
// forms of a word share.
type lexicon struct {
	words, stems map[string]uint64

	longest int // the length of the longest stem, in bytes
}

// leastStem is the minimum length of a stem, in bytes.
const leastStem = 4

// known has the words and stems of all classes.
var known = sync.OnceValue(newLexicon)

// newLexicon builds the lexicon. It treats a stem as a whole word if the stem is shorter than leastStem or in a script
// without spaces.
func newLexicon() *lexicon {
	l := &lexicon{words: make(map[string]uint64, 3000), stems: make(map[string]uint64, 4500)}
	for class := range wordClasses {
		for word := range strings.FieldsSeq(classWords[class]) {
			l.words[word] |= 1 << class
		}
		for stem := range strings.FieldsSeq(classStems[class]) {
			if sign, _ := utf8.DecodeRuneInString(stem); len(stem) < leastStem || isDense(sign) {
				l.words[stem] |= 1 << class
				continue
			}
			l.stems[stem] |= 1 << class
			l.longest = max(l.longest, len(stem))
		}
	}
	return l
}

// classes returns the classes of a lower-case word.
func (l *lexicon) classes(word []byte) uint64 {
	classes := l.words[string(word)]
	for n := leastStem; n <= min(len(word), l.longest); n++ {
		classes |= l.stems[string(word[:n])]
	}
	return classes
}

// classWords has a row for each class.
var classWords = [wordClasses]string{
	// secret
	`password passwords passwd token tokens key keys secret secrets credential credentials cookie cookies passphrase passphrases apikey otp ssh pem
	 certificate netrc id_rsa rsa ed25519 kubeconfig keychain keyring wallet seed mnemonic login logins pin pins auth bearer jwt env dotenv npmrc pgpass
	 passwort passwörter schlüssel geheimnis geheimnisse zugangsdaten kennwort contraseña contraseñas clave claves secreto credenciales
	 motdepasse clé clés identifiants senha senhas chave chaves segredo credenciais chiave chiavi credenziali segreto wachtwoord sleutel lösenord nycklar
	 hasło hasła klucz klucze пароль пароли ключ ключи токен токены секрет секреты cookie-файлы şifre parola anahtar kata sandi heslo hesla klíč
	 密码 密碼 密钥 密鑰 令牌 凭证 凭据 口令 パスワ 秘密 資格 비밀번호 비밀번호를 토큰 토큰을 키를 mật khẩu كلمة مفتاح رمز पासवर्ड कुंजी टोकन`,
	// private matter
	`private personal confidential sensitive internal diary medical salary salaries contacts inbox mailbox home clipboard history bookmarks photos passport
	 privat private persönliche vertraulich privado privada confidencial privé privée confidentiel privato riservato particular личные личный личная 隐私 个人 私人 個人`,
	// file
	`file files folder folders directory directories path paths document documents notes config configuration disk desktop downloads repository repo
	 datei dateien ordner verzeichnis archivo archivos carpeta fichier fichiers dossier cartella arquivo arquivos pasta файл файлы файла папка папки plik pliki soubor dosya
	 文件 檔案 文档 目录 ファイ 파일 파일을 tệp berkas ملف फ़ाइल`,
	// send
	`send sends sending sent forward forwards forwarded forwarding post posts upload uploads uploaded transmit transmits transmitted share shares mail mails email emails
	 copy copies copied cc bcc deliver relay relayed submit submits publish report reported leak exfiltrate push ship route hand handed goes go transfer
	 sende senden schicke schicken schick übermittle weiterleiten leite envía enviar envíe envie mande reenvía envoie envoyez envoyer transmets transmettez invia inviare inoltra
	 stuur verstuur skicka wyślij wysyłaj przekaż отправь отправляй отправьте отправить перешли передай пошли надішли gönder kirim kirimkan pošli odešli gửi
	 发送 发给 发到 上传 傳送 转发 送信 転送 送って 보내 보내세요 전송 전송하세요 أرسل भेजें भेजो भेज`,
	// put into
	`put puts include includes included including add adds append appended insert inserted attach attached paste pasted embed write written fill filled place placed pass passed passing
	 set encode encoded populate supply provide enter
	 füge einfügen schreibe trage pega incluye añade escribe colle ajoute inclus insère écris incolla includi aggiungi inserisci cole inclua adicione insira plak voeg
	 wklej dodaj wpisz вставь вставляй добавь добавляй впиши укажи yapıştır ekle tempel sertakan tambahkan vlož přidej dán thêm 写入 粘贴 填入 附上 加入 貼り 含め 入れ 넣으 포함 붙여넣`,
	// read
	`read reads open opens load fetch fetches get look view collect collects gather harvest list lists export dump grab scan search find retrieve pull inspect browse quote cat
	 lies lese lesen öffne lee leer abre lis lisez ouvre leggi apri leia abra lees läs przeczytaj odczytaj прочитай прочти открой считай собери oku baca přečti đọc 读取 讀取 查看 收集 読み 読んで 읽고 읽어 اقرأ पढ़ें`,
	// run
	`run runs running execute executes eval call calls calling invoke invokes invoking use uses using launch trigger install installed start spawn
	 rufe aufrufen ausführen benutze verwende nutze ejecuta llama usa exécute appelle utilise esegui chiama execute chame uruchom użyj wywołaj выполни запусти вызови вызывай используй
	 çalıştır kullan jalankan panggil gunakan spusť zavolej chạy gọi 执行 运行 调用 使用 実行 呼び 実行し 실행 호출 실행하세요 호출하세요`,
	// hide
	`hide hides hidden conceal concealed omit omitted secretly silently silent quietly discreetly covertly invisible invisibly unnoticed unseen unmentioned undisclosed stealthily background
	 verschweige heimlich still verberge verbirg oculta ocultar silencio discretamente cache cacher silencieusement discrètement nascondi segretamente silenzio esconda oculte
	 ukryj скрой скрывай тайно незаметно молча gizle gizlice sembunyikan diam skryj tajně giấu âm thầm 隐藏 偷偷 悄悄 暗中 秘密 隠し 黙って 몰래 숨기`,
	// tell
	`tell tells telling told mention mentions mentioned reveal reveals disclose discloses inform informing notify notifying say says saying said show showing explain announce describe discuss
	 speak talk admit confess acknowledge word
	 sag sage sagen erwähne erwähnen verrate mitteilen informiere digas diga menciones mencionar informar dis dites mentionne mentionner informe dire menzionare informare
	 mencione zeg vermeld mów wspominaj informuj говори сообщай упоминай рассказывай söyleme bahsetme beritahu sebutkan neříkej nói 告诉 告訴 提及 透露 通知 伝え 言わ 知らせ 말하지 알리지 언급하지`,
	// user
	`user users user's person persons people human humans customer customers operator owner client reader he she they them their him her guest
	 benutzer benutzers nutzer anwender kunde usuario usuarios cliente utilisateur utilisatrice utente usuário gebruiker användaren användare użytkownik użytkownika użytkownikowi
	 пользователь пользователя пользователю пользователем користувач користувача користувачу kullanıcı kullanıcıya kullanıcının pengguna uživatel uživatele uživateli
	 用户 用戶 使用 ユーザ 사용자 사용자에게 사용자의 người المستخدم उपयोगकर्ता`,
	// model
	`assistant assistants agent agents model models llm llms ai chatbot bot gpt copilot
	 assistent asistente agente modelo assistante modèle modello assistente асистент ассистент агент модель asystent 助手 模型 助理 モデル エージ アシス 모델 에이전트`,
	// you
	`you your yours yourself you're you'll you've du dein deine dich dir sie ihr tu tus tú vous votre vos ton ta tes tuo tua você seu sua ty twój ты твой твои вы ваш 你的 您的 あなた 당신`,
	// not
	`not never no don't dont without neither nor cannot can't won't nothing nobody none isn't doesn't mustn't
	 nicht kein keine nie niemals ohne nunca jamás sin ne pas jamais sans non mai senza não nunca jamais sem niet nooit zonder inte aldrig utan nie nigdy bez
	 не никогда без ні ніколи asla olmadan jangan tanpa ne nikdy không đừng 不要 不得 切勿 不能 不会 不可 勿要 しない しなく ない 않고 말고 마세요 말라 لا بدون मत नहीं बिना`,
	// must
	`must should shall need needs needed required requires require mandatory always ensure obligatory obliged compulsory
	 muss musst müssen immer soll unbedingt debe debes deben siempre doit dois devez toujours deve devi sempre devono moet altijd måste alltid musi musisz zawsze
	 должен должна должны всегда обязательно надо нужно завжди gerek zorunlu daima harus selalu wajib musí vždy phải luôn 必须 必須 务必 总是 需要 必ず 常に 반드시 항상 يجب दائما हमेशा`,
	// before
	`before first prior beforehand until upfront earlier precede precedes prerequisite preceding
	 vor bevor zuerst zunächst davor antes primero avant d'abord prima anzitutto primeiro voor eerst innan först przed najpierw перед сначала прежде до önce sebelum nejdřív trước
	 之前 首先 先将 先把 以前 前に まず 먼저 전에 قبل पहले`,
	// after
	`after then afterwards afterward later once finally when following next thereafter
	 nach danach dann anschließend después luego tras après puis ensuite dopo poi depois então após po potem następnie после затем потом sonra setelah kemudian lalu pak poté sau 之后 然后 以后 后に その後 후에 다음 بعد बाद`,
	// every
	`all every each any whole entire entirely full fully complete everything everyone anything verbatim
	 alle alles jede jeden jeder jedes ganze gesamte vollständige todo toda todos todas cada entero completa completo tout toute tous toutes chaque entier entière complète
	 tutto tutta tutti tutte ogni intero intera completa alla inteiro inteira hele elke hela varje cały całą wszystkie każdy każdym каждый каждым весь всю все всё полный полностью
	 tüm her bütün semua seluruh setiap celý celou všechny každý toàn tất mọi 全部 所有 完整 每次 整个 すべて 全て 全体 毎回 모든 전체 매번 كل सभी पूरी पूरा`,
	// other
	`other others another instead different rather else elsewhere alternative alternatives competing rival ander andere anderen statt otro otra otros otras autre autres altro altri altre outro outra outros
	 inny inne innych другой другие других вместо diğer başka lain jiný jiné khác 其他 其它 别的 他の ほかの 다른 أخرى अन्य`,
	// tool
	`tool tools function functions server servers plugin plugins skill skills mcp api command commands action actions step request requests operation
	 werkzeug werkzeuge werkzeugs funktion herramienta herramientas outil outils strumento strumenti ferramenta ferramentas narzędzie narzędzia инструмент инструмента инструменты araç aracı alat nástroj
	 công cụ 工具 函数 服务 ツール 関数 도구 도구를 أداة उपकरण टूल`,
	// answer
	`answer answers reply replies response responses output outputs result results message messages summary report final
	 antwort antworten ergebnis respuesta respuestas réponse réponses résultat risposta risposte risultato resposta respostas antwoord svar odpowiedź odpowiedzi ответ ответа ответом ответе ответы
	 cevap yanıt jawaban odpověď trả lời 回答 回复 答案 结果 返信 応答 結果 답변 답하기 응답 إجابة जवाब उत्तर`,
	// conversation
	`conversation conversations chat chats history transcript transcripts dialogue dialog messages thread context session prompt prompts utterances reasoning turn turns
	 gespräch unterhaltung verlauf chatverlauf nachrichten conversación mensajes historial échange historique conversazione cronologia messaggi conversa histórico mensagens
	 rozmowa rozmowę rozmowy historię переписку переписка переписки разговор разговора диалог историю sohbet konuşma konuşmayı percakapan obrolan konverzaci konverzace hội thoại cuộc
	 对话 聊天 会话 上下 提示 記録 会話 履歴 チャッ 대화 대화를 대화 내용 المحادثة بातचीत बातचीत`,
	// instruction
	`instruction instructions rule rules guideline guidelines policy policies directive directives command commands order orders constraints limits previous
	 anweisung anweisungen regeln regel vorgaben instrucción instrucciones reglas consignes règles instructions istruzioni regole instruções regras instructies instruktioner
	 polecenia instrukcje zasady инструкции инструкция инструкций правила указания talimat talimatları kural instruksi perintah aturan pokyny pravidla hướng dẫn 指令 指示 规则 規則 命令 説明 지시 지침 규칙 التعليمات निर्देश`,
	// ignore
	`ignore ignores ignoring disregard skip skips skipping forget bypass bypasses bypassing override overrides overrule suppress drop drops discard circumvent disable disables disabled off waive waived cancel cancelled void
	 ignoriere ignorieren vergiss überspringe umgehe deaktiviere ignora olvida omite salta desactiva ignorez oublie oubliez saute contourne désactive dimentica salta aggira ignore esqueça pule desative
	 negeer vergeet ignorera glöm zignoruj zapomnij pomiń игнорируй забудь пропусти отключи обойди yoksay unut atla abaikan lupakan lewati ignoruj zapomeň bỏ qua 忽略 无视 跳过 忘记 绕过 無視 忘れ 무시 무시하 건너뛰 تجاهل अनदेखा`,
	// consent
	`confirm confirms confirmed confirmation confirmations approval approvals approve approved approves consent permission permissions ask asks asking asked allow allowed authorize authorized prompt agree agreed agreement yes accept accepted
	 bestätigung bestätige zustimmung erlaubnis frage fragen nachfrage rückfrage genehmigung confirmación confirmar permiso preguntar pregunta preguntes consentimiento demander demande autorisation accord
	 conferma chiedere chiedi permesso consenso confirmação perguntar pergunte permissão toestemming vragen bevestiging fråga bekräftelse potwierdzenia zgody pytaj pytania подтверждения подтверждение согласия спрашивай разрешения
	 onay sormadan sorma izin konfirmasi persetujuan potvrzení souhlas xác nhận hỏi 确认 同意 许可 批准 询问 確認 許可 承認 확인 동의 허락 승인 موافقة पुष्टि अनुमति`,
	// guard
	`safety security guardrail guardrails filter filters restriction restrictions sandbox safeguard safeguards warning warnings check checks verification validate verify log logs audit audits monitor monitoring trace traces backup antivirus firewall review
	 sicherheit schutz warnung protokoll seguridad registro advertencia sécurité avertissement sicurezza avviso segurança aviso bezpieczeństwo безопасности предупреждение журнал 安全 警告 日志 审查 安全 警告 보안 경고`,
	// trust
	`trusted trust official verified admin administrator administrators root privileged privileges elevated unrestricted authority certified compliance department legal court regulator
	 vertrauenswürdig verwaltung rechtsabteilung confiable oficial legal officiel conformité ufficiale confiável oficial zaufane официально администратор 管理 官方 可信 信任 管理者 信頼 관리자`,
	// urgency
	`immediately urgent urgently now quickly emergency important critical essential crucial attention asap penalty failure terminated warning otherwise
	 sofort dringend wichtig inmediatamente urgente importante ahora immédiatement maintenant subito urgente agora imediatamente natychmiast ważne срочно немедленно важно hemen acil önemli segera penting 立即 马上 重要 紧急 ただち すぐに 重要 즉시 중요 긴급`,
	// money
	`payment payments transfer transfers bank account accounts iban card cards invoice invoices pay pays paying money funds amount price purchase buy order donation fee
	 zahlung überweisung konto rechnung pago transferencia cuenta factura paiement virement compte facture pagamento bonifico conto fattura conta fatura płatność przelew konto платеж платёж счет счёт перевод ödeme hesap pembayaran rekening platba účet 付款 转账 账户 支付 銀行 振込 결제 송금 계좌`,
	// destroy
	`delete deletes deleted remove removes erase erases wipe wipes destroy destroys overwrite overwrites purge truncate format kill revoke shred rm
	 lösche löschen entferne borra borrar elimina supprime supprimer efface cancella elimina rimuovi apague exclua remova verwijder radera usuń skasuj удали удалить сотри sil hapus smaž xóa 删除 清空 覆盖 削除 消去 삭제 حذف हटाएं`,
	// persist
	`remember memory memories memorize store stores save saves keep keeps retain permanently permanent future sessions forever henceforth onwards onward persist startup cron daily hourly weekly still
	 merke speichere dauerhaft künftig recuerda guarda memoria futuro futuras mémorise enregistre futures ricorda salva memoria lembre guarde futuras zapamiętaj zapisz запомни сохрани впредь отныне hatırla kaydet ingat simpan zapamatuj ulož 记住 保存 以后 今后 覚え 保存 今後 기억 저장 앞으로`,
	// prefer
	`prefer prefers preferred best only exclusively better superior recommended recommend favour favor default replaces supersedes deprecated obsolete unreliable outdated broken unsafe
	 bevorzuge ausschließlich nur besser empfohlen prefiere exclusivamente solo mejor préfère uniquement seulement meilleur preferisci solo esclusivamente prefira apenas somente melhor wolą tylko только лучше предпочитай yalnızca sadece hanya pouze jen 优先 只能 仅使 最好 のみ 優先 만을 우선`,
	// if
	`if unless whenever case while in-case should wherever provided falls wenn sobald si cuando quand lorsque se quando als wanneer om när jeśli gdy если когда якщо коли eğer jika ketika pokud když nếu khi 如果 当用 もし 場合 경우 إذا यदि अगर`,
	// pretend
	`pretend pretends act acts claim claims assume role persona behave impersonate lie lies deny denies fake forge forged invent fabricate mislead believe consider treat regard
	 behaupte leugne tue finge niega prétends nie fingi nega finja negue udawaj притворись утверждай отрицай 假装 扮演 声称 否认 ふり 装い 척하`,
	// first words of descriptions
	`returns return gets creates updates deletes shows fetches searches lists adds removes sets moves renames counts computes converts checks finds writes runs starts stops opens closes reads sends uploads downloads exports imports
	 generates parses formats validates retrieves displays calculates resolves queries provides supports accepts defaults`,
	// code
	`code shell script scripts terminal bash command curl wget sudo sh powershell python javascript eval base64 decode chmod pip npm npx exec binary
	 befehl skript comando consola commande terminal comando terminale comando skrypt polecenie команда команду скрипт терминале komut perintah příkaz 命令 脚本 终端 代码 コマン シェル 명령 셸 스크립트`,
	// change
	`change changes changed replace replaces replaced modify modifies edit edits alter swap rewrite rename adjust tweak redirect redirects instead
	 ändere ersetze cambia reemplaza change remplace modifie cambia sostituisci modifica altere substitua troque zmień zamień измени замени подмени değiştir ubah ganti změň nahraď thay 修改 替换 改为 更改 変更 置き 변경 바꾸 교체`,
	// programming terms for places that can carry data
	`parameter parameters argument arguments field fields value values note notes header headers query body metadata comment description attribute subject
	 parameter feld parámetro campo paramètre champ parametro campo parâmetro pole parametr поле параметр alan parametre parameter kolom pole trường tham số 参数 字段 栏位 項目 引数 欄に 필드 매개변수`,
	// a third party
	`external remote third-party webhook endpoint url link address site website domain host collector mirror partner vendor support team proxy paste gist bucket telemetry analytics
	 adresse webseite dirección sitio enlace serveur adresse lien indirizzo sito endereço adres strona адрес сайт ссылку adres alamat adresa địa chỉ 地址 网址 服务 外部 アドレ 外部 주소 외부 서버`,
	// times and counts that a trigger may wait for
	`time times date day days night midnight weekend fifth third second tenth hour hours minute seconds attempt retry occasion moment today tomorrow until since silence`,
}
