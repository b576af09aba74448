package rank

// classStems has a row for each class of classWords, in the same order: stems of words in other languages, which
// inflect their words. An element of fewer than four bytes is a whole word, and so is one in a script without spaces.
// No stem begins an English word with another meaning.
var classStems = [wordClasses]string{
	// secret
	`passwort passwört kennw zugangsdat schlüssel geheimn geheimschl anmeldedat contraseñ credencial claves credenzial chiavi segret senha identifiants lösenord nyckel nyckl inloggning
	 wachtwoord sleutel inloggegev adgangskod nøgle hasł klucz poświadcz tajn heslo hesl klíč přihlašovac jelsz kulcs hitelesít salasan avain avaim avaint tunnusten tunnukse parol cheie cheia chei credenți secretel
	 κωδικ κλειδ διαπιστευτ μυστικ συνθηματ şifre anahtar parola kimlik парол ключ ключа токен секрет учётн учетн облік таєм sandi kunci kredensial rahasia khẩu khóa
	 סיסמ סיסמא מפתח סוד אסימון הרשא مرور مفتاح مفاتي رمز رموز أسرار سري اعتماد पासवर्ड कुंजी टोकन गोपनीय गुप्त 비밀번호 암호 토큰 열쇠 자격 인증
	 パス スワ ワー 秘密 認証 暗号 機密 トー 私钥 机密 秘钥 证书`,
	// private matter
	`persönl vertraul gehalt tagebuch kontakt privad personnel salaire riservat stipendi pessoa persoonlijk vertrouwelijk salaris privata personlig konfidentiell
	 prywatn osobist poufn wynagrodz osobn soukrom důvěrn személyes bizalmas yksityi henkilö luottamuks προσωπικ εμπιστευτ ιδιωτικ kişisel özel gizli maaş личн персонал конфиденц приватн зарплат особист pribadi riêng nhân
	 אישי פרטי חסוי شخصي خاص سرية خصوص निजी व्यक्तिग 개인 사적 기밀 個人 私的 个人 私人 隐私 通讯 連絡 病历 工资 给与`,
	// file
	`datei ordner verzeichn carpet fichier dossier répertoire cartell arquiv pasta bestand bestanden fil katalog plik soubor složk adresář fájl könyvtár tiedosto kansio hakemisto fișier dosar
	 αρχεί φάκελ dosya klasör dizin файл папк каталог теку директор berkas direktori tệp mục thư
	 קובץ קבצים תיקי ملف مجلد फ़ाइल फाइल फ़ोल्डर 파일 폴더 디렉 文件 目录 文档 ファ イル フォ`,
	// send
	`senden gesend schick übermitt weiterleit weitergeg leite übertrag envía envíe enviar envia enviad mande reenví transmet envoie envoye envoyé expédi invia inviar inoltr spedi mande repass encaminh
	 stuur verstuur verzend doorst skicka vidarebef sänd överför videresend wysyła wyśl wysł przesył przekaz prześl odešl odesíl pošl zašl küld továbbít elküld lähet toimit välit trimite trimit expedi
	 στείλ στέλν αποστ προώθ μεταβίβ gönder ilet yolla aktar отправ перешл пересл пересыл высыл передав переда шли надсил надішл надсила відправ перед kirim teruskan kirimkan gửi chuyển
	 שלח שולח תשלח לשלוח העבר להעביר מעביר أرسل إرسال ارسل يرسل ترسل إرسالها انقل भेज भेजें भेजो अग्रेषि 보내 전송 전달 발송 송신 送信 送る 送っ 転送 送り 发送 发给 上传 转发 发至 传给 寄给`,
	// put into
	`füge einfüg hinzufüg schreib trag eintrag beifüg anhäng pega pegue incluy inclúy incluir añad agreg escrib adjunt ajout insèr insére écri joign incoll aggiung inseri scriv alleg incluir adicion escrev anex
	 plak voeg toevoeg schrijf invoeg bijvoeg klistra lägg infoga skriv bifoga wklej dodaj wpis dołącz załącz umieść vlož přidej připoj napiš zapiš illes hozzáad liitä lisää kirjoita sisällyt adaug scrie atașe
	 προσθ συμπερ βάλ επισυν γράψ ekle yapıştır yaz dahil вставл встав добав впиш впис прилож прикреп укаж укажи запиш додай дода встав sertakan tambah masuk lampir thêm đính chèn dán
	 הוסף להוסיף צרף לצרף כתוב הכנס أضف أضيف إضافة ضع أدرج أرفق اكتب जोड़ शामिल डाल लिख 넣 포함 붙여 추가 첨부 적어 기입 入れ 含め 貼り 追加 添付 記入 写入 粘贴 填入 附上 加入 放入 填写 附加`,
	// read
	`lese lesen öffne öffnen sammle auslesen abruf hol lee leer leer abre abrir recopil recoge lis lisez lire ouvr ouvrez récup recueil leggi legger apri aprire raccogl recuper leia abra abrir colete lees haal verzamel läs öppna hämta samla
	 przeczyt odczyt otwórz czytaj pobierz zbierz zbier přečt otevř načti sesbír olvas nyisd gyűjts lue avaa kerää hae citește deschide colecteaz διάβα άνοι συλλέ ανάγν oku topla aç прочит прочт читай откро откры собер собир считай зчитай зчит відкрий прочитай збер збир baca buka kumpulkan đọc mở thu
	 קרא לקרוא פתח לפתוח אסוף لاسف اقرأ قراءة افتح اجمع पढ़ पढ़ें खोल एकत्र इकट्ठा 읽 열어 수집 가져 조회 読み 読ん 読む 開き 開い 収集 読取 读取 打开 收集 查看 获取`,
	// run
	`rufe aufruf ausführ führe benutz verwend nutze aufgeruf ejecut llama llame utiliz invoc exécut appel utilis esegu chiama usare invoca chame uruch użyj używ wywoł wykon spust zavol použij volán futtat hív használ suorita käytä kutsu aja rulea apel folos
	 εκτέλ καλέ χρησιμ κλήσ çalıştır kullan çağır выполн запус вызов вызыв использ виклик викон запуст використ jalankan panggil gunakan chạy gọi dùng uitvoer gebruik aanroep roep voer kör använd anropa
	 הפעל להפעיל השתמש קרא הרץ شغل نفذ تنفيذ استدع استخدم चला उपयोग निष्पा 실행 호출 사용 구동 実行 呼び 使用 使い 呼出 起動 执行 运行 调用 使用`,
	// hide
	`verschweig heimlich verberg verheiml unbemerkt versteck unauffäll ocult escond discret silencios sigilos secretamente cachez dissimul discrèt secrèt silenci nascond segretam nascost insaput discretam escond oculta sigilo
	 verberg stiekem heimelijk ongemerkt verzwijg dölj gömma tyst hemlig obemärkt ukryj ukryw cich potajem dyskret zataj skryj skrýv tajně nenápad potichu titok elrejt csend piilot salaa salassa hiljaa vaivihkaa ascund discret tacit
	 κρυφ κρύψ αθόρυβ διακριτ μυστικ gizle gizlice sessiz fark скры скрыв тайн тайком незаметн молча втихую прихов потай непомітн мовчки diam sembuny rahasiakan lặng âm giấu thầm kín
	 הסתר להסתיר בשקט בסתר בחשאי סוד خفية أخف إخفاء سرا بصمت छिपा छुपा चुपचाप गुप्त 몰래 숨기 숨겨 은밀 조용 비밀리 隠し 隠す 黙っ 密か こっ 隐藏 隐瞒 偷偷 悄悄 暗中 暗地 静默`,
	// tell
	`sag sage sagen erwähn verrat mitteil informier erzähl benachricht hinweis dile diga digas mencion reveles avis dites mentionn révél prévén préven parle parlez dica menzion rivel avvis parlar revele avise
	 zeg zegg vermeld melden vertel noem berätta nämn säg avslöja meddela powiedz mów wspomin wspomn informuj zdradz zdradzaj ujawni říkej řekn zmiň zmiňu neprozr sděl említ szólj kerro mainits paljasta ilmoita spune mențion dezvăl anunț
	 αναφέρ πεις πείτε αποκάλ ενημέρ söyle bahset açıkla bildir скаж говор сообщ упомин расскаж рассказ раскрыв повідом кажи згаду розпов розкри beritahu sebut katakan ungkap nói tiết báo kể
	 תגיד ספר לספר תספר תזכיר להזכיר תגלה תודיע לגלות تخبر إخبار تذكر ذكر تكشف تقل أخبر बता बताएं उल्लेख ज़िक्र सूचित 말하 말해 알리 알려 언급 밝히 伝え 言わ 言及 知ら 話さ 告げ 告诉 告知 提及 透露 提到 说出`,
	// user
	`benutzer nutzer anwender kunde kundin mensch usuari utilisat utente utent cliente pessoa gebruiker klant mens persoon använd kund użytkown klient osob uživat zákaz člověk felhaszn ügyfél ember käyttäj asiakas asiakka ihmi utilizator persoan
	 χρήστ πελάτ άνθρωπ kullanıc müşter kişi пользоват клиент человек людям користувач клієнт людин pengguna pelanggan orang dùng khách
	 משתמש לקוח אדם مستخدم عميل المستخدم العميل شخص उपयोगकर्ता ग्राहक व्यक्ति यूज़र 사용자 고객 유저 이용자 사람 ユー ーザ 利用 お客 相手 本人 用户 客户 使用者 对方`,
	// model
	`assistent asistent agente agenten agenten modell modelo modèle asystent avustaj malli mallin kielimalli tekoäly βοηθ μοντέλ πράκτορ asistan yapay ассистент помощник модел агент помічник asisten trợ lý mô
	 עוזר מודל סוכן مساعد نموذج الوكيل सहायक मॉडल एजेंट 어시스 에이전 모델 비서 アシ スタ エー ジェ モデ 助手 模型 代理`,
	// you
	`dein deine deinem deinen ihre ihrem vous votre vostro usted ustedes você vocês twoj twój tvoj tvůj sinun teidän sinä eşsin σου εσύ твой твоё тебе тобой вами твоє твій anda kamu engkau bạn אתה שלך أنت لديك आप आपको आपके तुम 당신 너의 귀하 あな 君は 你的 请你 你必 您必`,
	// not
	`nicht kein keine keinen keinem keiner niemals ohne nunca jamás ningun ninguna jamais aucun aucune nessun nessuna senza nenhum nenhuma nooit geen zonder aldrig ingen utan nigdy żadn bez nikdy žádn nesm nebo soha nélkül koskaan älä älkää ilman eikä niciodat fără niciun
	 ποτέ χωρίς μην δεν καν asla hiçbir olmadan никогда нельзя ничего никому никаких ніколи нікому жодн jangan tanpa tidak không đừng chớ
	 לעולם בלי אסור שום ללא אין بدون دون أبدا مطلقا لا تقم نहीं कभी बिना बगैर मत नहीं 않고 말고 마세요 마십 말라 없이 절대 않도 ない ず、 ませ ぬよ なく 不要 不得 切勿 不能 不可 不准 禁止 勿向 别让 绝不`,
	// must
	`muss müssen musst immer unbedingt soll zwingend verpflicht erforderl debe debes deben siempre obligator necesari doit devez doivent toujours obligatoir impérativ devono sempre obbligator bisogna necessari obrigator moet moeten altijd verplicht måste alltid skall obligator musisz zawsze należy koniecz obowiąz
	 musí musíš vždy povinn nutn mindig kell köteles pitää täytyy aina pakolli trebuie mereu întotdeauna obligatoriu πρέπει πάντα υποχρεωτ gerek zorunlu daima mutlaka mecbur должен должна должны всегда обязат необходим нужно надо завжди повин обов треба harus wajib selalu phải luôn buộc bắt
	 חייב תמיד צריך חובה יש يجب دائما لازم ينبغي हमेशा चाहिए अनिवार्य ज़रूर 반드시 항상 필수 꼭 해야 必ず 常に 必須 要す 必须 务必 一定 始终 总是 必需`,
	// before
	`bevor vorher zuerst zunächst davor antes primero primer avant préalabl d'abord premier anzitutto innanzi primeir antes voordat eerst vooraf innan först före przed najpierw zanim wcześniej nejdřív před nejprve předtím előtt először mielőtt ennen ensin ensiksi înainte întâi mai
	 πριν πρώτα αρχικά önce öncelik ilk перед прежде сначала сперва предварит спершу спочатку раніше перш sebelum terlebih dahulu trước khi
	 לפני קודם תחילה قبل أولا पहले पूर्व 먼저 전에 이전에 우선 앞서 前に 先に まず 最初 之前 首先 先将 先把 先用 以前 事先`,
	// after
	`nachdem danach anschließ hernach después luego seguida après ensuite puis dopo quindi poi depois seguida daarna nadat vervolg efter sedan därefter potem następnie po poté potom následně után majd azután sitten jälkeen lopuksi apoi după ulterior
	 μετά έπειτα ύστερα sonra ardından затем потом после далее потім після далі kemudian setelah lalu sau rồi
	 אחרי לאחר ואז بعد ثم बाद फिर उसके 다음 이후 그런 후에 その 後に 次に してか 然后 之后 随后 接着 再把`,
	// every
	`allen jeder jedem jedes ganze ganzen gesamt sämtlich vollständ komplett todos todas cada entera íntegr tout toute toutes chaque entier intégral tutto tutta tutti tutte ogni intero inteir elke hele volledig alla varje hela samtliga wszystk każd cały cała całą pełn
	 všech vším každ celou celý úpln minden összes egész teljes kaikki kaiken jokai koko täydelli toate toți fiecare întreg όλα όλες όλους κάθε ολόκληρ πλήρ tüm bütün her hepsi tamam весь всю всё все вся всех каждый каждое каждую кажд полност полн целик усі всі кожн увесь повн semua setiap seluruh lengkap tất mọi toàn mỗi
	 כל כולם מלא جميع كل كامل كافة सभी हर पूरा पूरी प्रत्येक 모든 전체 매번 모두 전부 すべ 全て 全部 毎回 全体 各回 所有 全部 完整 每次 任何 每个 一切`,
	// other
	`ander anderen anderes statt anstatt andere otro otra otros otras otras lugar autre autres lieu altro altri altra altre invece outro outros outras lugar andere annan andra annat istället inny innych innego zamiast jiné jiný jiných místo más többi helyett muu muut muita toinen sijaan altor altceva loc
	 άλλο άλλα άλλους αντί diğer başka yerine другой другие других другим вместо інш замість lain khác thay
	 אחר אחרים אחרות במקום آخر أخرى بدلا अन्य दूसर बजाय 다른 대신 기타 他の ほか 代わ 別の 其他 其它 别的 另外 替代 代替`,
	// tool
	`werkzeug funktion dienst herramient función funcion servicio outil fonction strument funzion ferrament função serviço gereedschap hulpmiddel functie verktyg funktion tjänst narzędz funkcj usług nástroj funkc služb eszköz függvény työkalu toiminto palvelu instrument funcți unealt serviciu
	 εργαλεί λειτουργ συνάρτ araç aracı işlev fonksiyon инструмент функц сервер сервис інструмент послуг alat fungsi layanan công cụ hàm
	 כלי כלים פונקצ שרת أداة أدوات الأداة دالة खادम टूल उपकरण फ़ंक्शन सर्वर 도구 함수 서버 기능 ツー ール 関数 機能 工具 函数 接口 服务 插件`,
	// answer
	`antwort ergebnis ausgabe nachricht respuest resultad mensaje répons résultat rispost risultat messagg respost resultad mensag antwoord resultaat bericht svar resultat meddeland odpowied wynik wiadom odpověd odpověz výsled zpráv válasz eredmény üzenet vastau vastaa tulos tulok viesti răspun rezultat mesaj
	 απάντ απαντ αποτέλ μήνυμα yanıt cevap sonuç mesaj ответ результат сообщен відповід відповіс повідомлен jawab hasil pesan trả lời quả tin
	 תשוב תשובה תוצא הודע להשיב إجابة رد الرد نتيجة رسالة تجيب जवाब उत्तर परिणाम संदेश 답변 응답 결과 대답 메시 回答 応答 返答 返信 結果 答え 回复 答案 结果 消息 答复`,
	// conversation
	`gespräch unterhalt verlauf chatverl nachrichten konversat sitzung conversac historial sesión échang historiqu conversazion cronologi históric gesprek geschieden konversat samtal historik rozmow rozmów konwersac konverzac hovor historii beszélget előzmény keskustel historia conversaț istoric
	 συνομιλ συζήτ ιστορικ konuşma sohbet geçmiş görüşme разговор переписк диалог истори беседа беседы бесед чата розмов листуван діалог історі percakapan obrolan riwayat hội thoại trò chuyện cuộc
	 שיחה שיחות היסטור محادثة المحادثة حوار سجل बातचीत वार्तालाप चैट इतिहास 대화 채팅 대화록 이력 会話 対話 履歴 チャ ャッ 对话 聊天 会话 谈话 历史 上文`,
	// instruction
	`anweisung vorgabe regel richtlinie instruccion instrucción regla indicacion consigne règle istruzion regole direttiv instruç instruções regras diretriz instructie regel richtlijn instruktion regler anvisning instrukcj polecen wytyczn zasad reguł pokyn instrukc pravid utasítás szabály ohje ohjee sääntö sääntöj instrucțiun
	 οδηγί κανόν εντολ talimat kural yönerge инструкц правил указан распоряж вказівк інструкц instruksi perintah aturan hướng dẫn chỉ thị quy tắc
	 הוראה הוראות הנחי כלל تعليمات قواعد أوامر توجيه निर्देश नियम आदेश 지시 지침 명령 규칙 안내 指示 命令 規則 指令 规则 指引 命令 提示`,
	// ignore
	`ignorier vergiss vergess überspring umgeh deaktivier außer missacht ignora olvid omite salta desactiv desatiend ignorez oubli saute contourn désactiv négliger ignorar dimentic salta aggir disattiv esqueç desativ pule desconsid negeer vergeet overslaan sla omzeil schakel ignorer glöm hoppa kringgå inaktiver ignoruj zignor zapomnij pomiń pomij omiń obejdź wyłącz
	 ignoruj zapomeň přeskoč vynech obejdi vypni hagyd felejtsd kapcsold unohda ohita jätä sivuuta poista ignoră uită sari ocol dezactiv αγνό ξέχα παράκαμ παράλε απενεργ yoksay unut atla görmezden devre игнор забудь пропус обойд отключ не-обращ ігнор забудь пропус обійд вимкн abaikan lupakan lewati nonaktif bỏ qua quên tắt
	 התעלם שכח דלג עקוף בטל תتجاهل تجاهل انس تخط تجاوز عطل अनदेखा भूल छोड़ नज़रअंदाज 무시 건너뛰 잊 우회 생략 해제 無視 忘れ 省略 飛ば 回避 無効 忽略 无视 跳过 忘记 绕过 关闭 禁用`,
	// consent
	`bestätig zustimm erlaubnis frage fragen nachfrag rückfrag genehmig einwillig freigabe permiso pregunt consentim aprobac autoriz autoris approb permess consens chied conferm pergunt aprova toestem bevestig vraag vragen goedkeur bekräft fråga godkänn tillstånd samtyck potwierdz zgod pyta pytaj zezwol akcept
	 potvrz souhlas povol ptej zeptej schvál megerősít engedély kérdez jóváhagy vahvist lupa lupaa kysy kysym hyväks suostum întreb aprob permisiun επιβεβ ρωτ έγκρι συγκατ άδεια onay izin sorma sormadan rıza подтвер соглас разреш спраш спрос одобр підтвер згод дозвол запит питай схвал konfirmasi persetujuan izin bertanya menanyakan xác nhận đồng ý phép hỏi
	 אישור לאשר אשר הסכמה רשות לשאול שאל تأكيد موافقة إذن سؤال تسأل الموافقة पुष्टि अनुमति सहमति पूछ स्वीकृति 확인 동의 허락 승인 묻 물어 허가 確認 許可 承認 同意 尋ね 了承 聞か 确认 同意 许可 批准 询问 征得 授权 请示`,
	// guard
	`sicherheit schutz warnung protokoll prüf überprüf segurid advertenc sécurit avertiss vérifi sicurezz avvis verifich seguranç aviso veilighe waarschuw logboek controle säkerhet varning kontroll bezpiecz ostrzeż dziennik sprawdz zabezpiecz bezpečn varován kontrol zabezpeč biztons figyelmezt napló ellenőr
	 turvalli varoitu loki tarkist suojau avertis jurnal ασφάλ προειδ καταγραφ έλεγχ güvenlik uyarı günlük denetim безопас предупреж журнал проверк защит логиров безпек попередж перевір захист keamanan peringatan catatan periksa bảo mật cảnh kiểm nhật ký
	 אבטח אזהר יומן בדיק أمان تحذير سجلات فحص حماية सुरक्षा चेतावनी जांच लॉग 보안 경고 로그 검증 점검 감사 安全 警告 検証 検査 監査 记录 日志 警告 审计 审查 校验 防护 检查`,
	// trust
	`vertrauensw verwaltung rechtsabteil offiziell behörd vorgesetz chef confiable oficial officiel juridiqu autorité ufficial amministrat autorit oficial confiáv officieel beheerder vertrouwd officiell betrodd zaufan oficjaln urzędow oficiáln správce důvěryhod hivatalos rendszergazd luotet viralli ylläpit oficial autorizat
	 επίσημ διαχειριστ αξιόπιστ έμπιστ resmi yönetic güvenilir официал администрат доверен руковод офіцій адміністрат довірен керівн resmi tepercaya quản trị tin cậy thức chính
	 מנהל רשמי מהימן أمين رسمي مسؤول موثوق आधिकारिक व्यवस्थापक विश्वसनीय प्रशासक 관리자 공식 신뢰 법무 管理 公式 正式 信頼 法務 管理员 官方 可信 授权 信任 法务 合规`,
	// urgency
	`sofort dringend wichtig umgehend unverzügl eilig jetzt inmediat ahora crític immédiat maintenant essentiel subito adesso imediat agora crític onmiddellijk dringend belangrijk meteen omedelbart brådskande viktigt genast natychmiast pilne ważne krytyczn teraz okamžit naléhav důležit ihned kritick azonnal sürgős fontos heti välittöm kiireelli tärkeä
	 imediat acum αμέσως επείγ σημαντικ κρίσιμ hemen acil önemli derhal şimdi немедлен срочн важно сейчас критичес негайно термінов важливо зараз segera mendesak penting darurat ngay khẩn trọng
	 מיד דחוף חשוב فورا عاجل مهم الآن तुरंत तत्काल ज़रूरी महत्वपूर्ण 즉시 긴급 당장 중요 지금 直ち 至急 緊急 すぐ 今す 立即 马上 重要 紧急 立刻 尽快`,
	// money
	`zahlung überweis konto rechnung geld betrag kauf transferenc cuenta factur pago dinero compra paiement virement compte factur argent achat pagament bonific conto fattur denaro acquist pagament fatur dinheiro betaling rekening factuur geld koop betalning konto faktura pengar köp płatno przelew konto konta faktur pieniąd zakup platb převod účet faktur peníz nákup fizet utal számla pénz vásár
	 maksu tilisiir tili lasku raha osto factur πληρωμ λογαριασ τιμολ χρήμα αγορ μεταφορ ödeme hesap fatura havale плат счёт счет перевод деньг денег оплат рахун переказ грош pembayaran rekening tagihan uang thanh toán tài hóa đơn tiền
	 תשלום חשבון חשבונית כסף העברה دفع حساب فاتورة تحويل مال أموال भुगतान खाता बैंक पैसे राशि 결제 송금 계좌 금액 지불 결재 支払 振込 口座 請求 送金 付款 转账 账户 支付 汇款 账单 金额`,
	// destroy
	`lösch vernicht überschreib entfern borra borre elimin sobrescrib supprim efface détrui écras elimin distrug rimuov sovrascriv apague verwijder wis overschrijf vernietig radera ta förstör skriv usuń usuw skasuj nadpis zniszcz smaž odstraň vymaž přepiš töröl felülír poista tuhoa pyyhi ylikirjoita șterge elimin suprascri διαγρά σβήσ καταστρ αντικατ sil silin yok kaldır удал сотри стерет уничтож перезапис стира видал зітри знищ hapus timpa musnah xóa hủy ghi đè
	 מחק למחוק הרוס دمر احذف حذف امسح हटा मिटा नष्ट 삭제 지우 파괴 덮어 제거 削除 消去 上書 破棄 删除 清空 覆盖 销毁 抹去 擦除`,
	// persist
	`merke speicher dauerhaft künftig zukünft fortan immerzu recuerd futuro mémoris enregistr désormais ricord salva memorizz lembre guarde onthoud bewaar voortaan toekomst kom ihåg spara framöver framtida zapamięt zapisz przyszł odtąd zapamatuj ulož budouc nadále jegyezd mentsd jövő muista tallenna jatkossa tulevai amint salvea viitor
	 θυμήσ αποθήκ μελλον εφεξής hatırla kaydet bundan gelecek запомн сохран впредь отныне будущ дальнейш запам збереж надалі майбутн ingat simpan selanjutnya seterusnya mulai nhớ lưu từ nay
	 זכור שמור עתיד מעתה تذكر احفظ مستقبل याद सहेज भविष्य 기억 저장 앞으로 이후로 향후 覚え 保存 今後 以後 将来 记住 保存 以后 今后 往后 从此 长期`,
	// prefer
	`bevorzug ausschließl besser empfohl einzig vorzugsweise prefier exclusiv mejor únic recomend préfér uniquement meilleur exclusiv préférenc preferi solo esclusiv miglior prefir apenas somente melhor verkies uitsluitend beter alleen enkel föredra endast bättre enbart wol wyłącznie lepsz jedyn tylko upřednost pouze lepší výhradně jediný inkább kizárólag jobb csak mieluummin vain parempi ainoastaan ainoa doar numai exclusiv
	 προτιμ μόνο καλύτερ αποκλειστ tercih yalnızca sadece daha только лучше исключит предпоч единствен лише тільки краще виключно hanya utamakan lebih pilih chỉ ưu tiên tốt hơn
	 העדף רק בלבד עדיף فضل فقط حصر أفضل केवल सिर्फ़ बेहतर प्राथमि 만 우선 오직 선호 더욱 のみ だけ 優先 最適 只能 仅使 最好 优先 唯一 只用`,
	// if
	`wenn sobald sofern cuando quand lorsque quando qualora wanneer indien zodra när om jeśli jeżeli gdy kiedy když pokud jestliže jakmile ha amikor amint jos kun mikäli dacă când αν όταν εάν eğer ise когда если якщо коли jika apabila ketika nếu khi אם כאשר إذا عندما إن अगर यदि जब 경우 때 만약 もし 場合 時に なら 如果 若是 当用 一旦 只要`,
	// pretend
	`behaupt leugn vorgeb vortäusch fingir afirm niega nieg prétend feign niez affirm fingi neghi afferm finja negue doe ontken beweer låtsas förneka påstå udawaj twierdź zaprzecz tvař tvrď zapři tettesd tagadd teeskentele väitä kiellä pretinde neagă προσποι ισχυρ αρνή davran inkar iddia притвор утвержд отрица отриц сделай вдавай стверджу запереч berpura anggap klaim giả vờ phủ
	 העמד הכחש טען تظاهر ادع أنكر दिखावा इनकार दावा 척하 가장하 주장 부인 ふり 装い 偽っ 否定 主張 假装 声称 否认 冒充 谎称`,
	// first words of descriptions
	`gibt liefert zeigt erstellt listet sucht berechnet prüft setzt fügt öffnet schließt speichert lädt devuelve obtiene muestra lista actualiza busca comprueba renvoie retourne affiche crée cherche calcule vérifie récupère met restituisce mostra elenca cerca calcola verifica aggiorna retorna devolve mostra cria lista busca verifica atualiza
	 geeft toont maakt zoekt berekent returnerar visar skapar listar hämtar beräknar söker zwraca pokazuje tworzy wyświetla wyszukuje oblicza sprawdza aktualizuje vrací zobrazí vytvoří vypíše vyhledá spočítá ověří visszaadja megjeleníti létrehoz palauttaa näyttää luo hakee laskee listaa tarkistaa päivittää returnează afișează creează listează caută calculează
	 επιστρέφει εμφανίζει δημιουργεί αναζητά υπολογίζει ελέγχει döndürür gösterir oluşturur listeler arar hesaplar возвращает показывает создаёт создает выводит ищет вычисляет проверяет обновляет удаляет повертає показує створює виводить шукає обчислює mengembalikan menampilkan membuat mencari menghitung memeriksa trả về hiển tạo tìm tính liệt
	 מחזיר מציג יוצר מחפש מחשב בודק يعيد يعرض ينشئ يبحث يحسب يتحقق تعيد लौटाता दिखाता बनाता खोजता देता गणना 반환 표시 생성 검색 계산 합니다 목록 返し 返す ます 表示 作成 検索 計算 一覧 返回 显示 创建 列出 查询 计算 检索 更新`,
	// code
	`befehl skript konsole comando commande comando comando opdracht kommando skript poleceni skrypt konsol příkaz skript příkazov parancs szkript komento komentor skripti comand εντολή σενάρ τερματικ κέλυφ komut betik kabuk команд скрипт терминал консол командн скрипт термінал perintah skrip lệnh mã פקודה סקריפט קוד أمر أوامر سكربت شيفرة कमांड स्क्रिप्ट कोड 명령 스크립 터미널 코드 셸 コマ マン スク 端末 命令 脚本 终端 代码 指令`,
	// change
	`änder ersetz ersetze umleit tausch vertausch cambi reemplaz sustituy redirig remplac redirig détourn sostitu reindirizz cambi troque redirecion modifiq vervang wijzig verander leid ändra ersätt byt omdirigera zmień zamień podmień przekieruj zmieni změň nahraď zaměň přesměruj vymeň cserél módosít átirány vaihda korvaa muuta ohjaa schimb înlocui redirecț
	 αλλάξ αντικατ άλλαξ ανακατευθ değiştir yönlendir замен измен подмен поменя перенаправ заміни зміни підмін перенаправ ganti ubah alihkan thay đổi sửa
	 החלף שנה הפנה להחליף استبدل غير بدل حول बदल प्रतिस्थापि 바꾸 변경 교체 수정 대체 変更 置き 差し 書き 改変 修改 替换 改为 更改 换成 改成 篡改`,
	// programming terms for places that can carry data
	`feld kommentar beschreib kopfzeile notiz parámetr campo comentari cabecera paramètre champ commentair parametr campo commento intestaz parâmetr coment cabeçalh veld opmerking fält kommentar anteckning pole parametr komentarz nagłów notatk pole komentář poznámk hlavičk mező paramé megjegyz kenttä kentässä parametri kommentt câmp comentar πεδί παράμετρ σχόλι alan parametre not yorum поле парамет заголов комментар примечан заметк примітк коментар kolom catatan trường tham số ghi chú
	 שדה פרמטר הערה حقل معامل ملاحظة تعليق फ़ील्ड पैरामीटर टिप्पणी नोट 필드 매개 인자 메모 주석 비고 欄に 引数 項目 備考 メモ 字段 参数 备注 注释 栏位 标题`,
	// a third party
	`adresse webseit dritte gegenstelle dirección sitio tercer adresse tiers serveur indirizz sito estern terz endereço terceir adres derde adress tredje zewnętrz adres trzeci adres třetí web külső harmadik cím ulkoi osoite osoittee kolman adres terț
	 διεύθυν εξωτερικ τρίτ ιστότοπ adres harici dış üçüncü адрес внешн сторонн третьим сайт ссылк зовніш сторонн третім адрес alamat eksternal pihak situs địa bên ngoài trang
	 כתובת חיצוני צד אתר عنوان خارجي طرف موقع خادم पता बाहरी तृतीय वेबसाइट 주소 외부 제삼 서버 사이트 外部 宛先 宛て 第三 先に アド 地址 外部 第三 网址 网站 链接 邮箱`,
	// times and counts that a trigger may wait for
	`uhr mitternacht wochenende stunde tage hora medianoche semana fecha heure minuit semaine mezzanotte settiman meia-noite semana middernacht midnatt helg północ godzin půlnoc víkend hodin éjfél hétvég keskiyö viikonlop tunti miezul săptămân μεσάνυχ ώρα ημέρα gece hafta saat полноч выходн недел часов опівноч вихідн годин malam minggu nửa đêm giờ ngày tuần חצות שעה יום منتصف ساعة يوم आधी रात दिन 자정 주말 시간 날짜 深夜 週末 時間 回目 午夜 周末 小时 次时`,
}
