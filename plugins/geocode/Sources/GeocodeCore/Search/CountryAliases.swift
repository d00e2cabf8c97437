/// Country names that are not in the tables: alternative names from CLDR and ISO, and common ones such as `UK`.
enum CountryAliases {
  /// Returns the codes of the countries with this folded name, the most likely country first.
  static func codes(of folded: String) -> [String] { codes[folded] ?? [] }

  /// Returns a folded name without its form of state, such as `Kingdom of` or `Republic of` in the original name, or
  /// nil if it has none. `State of` is not removed, because the State of Georgia is in the United States.
  static func withoutForm(_ folded: String) -> String? {
    if let form = forms.first(where: { folded.hasPrefix($0) }) {
      let rest = folded.dropFirst(form.count)
      return String(rest.hasPrefix("the") ? rest.dropFirst(3) : rest)
    }
    let bare = folded.hasSuffix("ofthe") ? folded.dropLast(3) : folded[...]
    if let form = forms.first(where: { bare.hasSuffix($0) && bare.count > $0.count + 2 }) {
      return String(bare.dropLast(form.count))
    }
    return chineseForms.first { folded.hasSuffix($0) && folded.count > $0.count + 1 }
      .map { String(folded.dropLast($0.count)) }
  }

  /// The folded forms of state, longest first.
  private static let forms =
    [
      "arab", "democratic", "democraticsocialist", "eastern", "federal", "federaldemocratic", "federative", "islamic",
      "peoples",
      "peoplesdemocratic", "socialist", "united", "bolivarian", "cooperative", "",
    ].map { $0 + "republicof" }.sorted { $0.count > $1.count } + [
      "hashemitekingdomof", "kingdomof", "principalityof", "grandduchyof", "sultanateof", "commonwealthof", "unionof",
      "independentstateof",
    ]

  private static let chineseForms = ["联邦共和国", "人民共和国", "共和国", "王国", "联邦"]

  private static let codes: [String: [String]] = {
    var codes: [String: [String]] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      for name in words.dropFirst() { codes[name] = words[0].split(separator: ",").map(String.init) }
    }
    return codes
  }()

  /// One country per line: its code, followed by folded names.
  private static let text = """
    AE emirates uae 阿联酋
    AG antigua antiguabarbuda
    AR argentinerepublic
    AT osterreich
    AU 澳洲
    AX aland
    BA bosnia bosniaherzegovina 波黑
    BF uppervolta
    BL saintbarts stbarthelemy stbarts
    BN bruneidarussalam 汶莱
    BO boliviaplurinationalstateof plurinationalstateofbolivia
    BQ bonaire bonairesainteustatiussaba bonairesinteustatiusandsaba bonairesinteustatiussaba bonairesteustatiusandsaba
    BQ bonairesteustatiussaba caribbeannetherlands
    BR brasil
    BW bechuanaland
    BY belorussia byelorussia
    CC cocoskeelingislands keelingislands
    CD congodemocraticrepublicofthe congokinshasa congothedemocraticrepublicofthe drc drcongo zaire 刚果民主共和国
    CD,CG congo 刚果
    CF 中非
    CG congobrazzaville congorepublicofthe republicofcongo 刚果共和国
    CH schweiz suisse swissconfederation
    CI cotedivoire 象牙海岸
    CN mainlandchina peoplesrepublicofchina prc prchina 中华人民共和国 中国内地 中国大陆
    CV capeverde
    CZ czechrepublic 捷克共和国
    DE deutschland 德意志
    DK danmark
    DO 多米尼加
    ER stateoferitrea
    ES espana
    FI suomi
    FK falklandislandsmalvinas falklands malvinas
    FM federatedstatesofmicronesia micronesiafederatedstatesof
    FO faroes
    FR frenchrepublic
    GA gaboneserepublic
    GB britain greatbritain uk unitedkingdomofgreatbritainandnorthernireland unitedkingdomofgreatbritainnorthernireland 大不列颠
    GB 联合王国
    GE republicofgeorgia 乔治亚
    GR hellas hellenicrepublic
    GS southgeorgia southgeorgiaandsouthsandwichislands southgeorgiasouthsandwichislands southgeorgiathesouthsandwichislands
    HK hongkongsar hongkongsarchina hongkongspecialadministrativeregionofchina 中国香港
    HM heardandmcdonaldislands heardislandmcdonaldislands heardmcdonaldislands
    ID 印尼
    IE eire republicofireland
    IL stateofisrael
    IM man
    IN bharat
    IR iranislamicrepublicof islamicrepublicofiran persia 波斯
    IT italia italianrepublic 义大利
    JP nippon
    KG kirghizia kyrgyzrepublic
    KH kampuchea 高棉
    KN saintkitts saintkittsnevis stkitts stkittsandnevis stkittsnevis
    KP democraticpeoplesrepublicofkorea dprk koreademocraticpeoplesrepublicof koreanorth 北韩 北朝鲜 朝鲜民主主义人民共和国
    KR korearepublicof koreasouth republicofkorea 南韩 南朝鲜 大韩民国
    KR,KP korea
    KW stateofkuwait
    LA laopdr laopeoplesdemocraticrepublic 寮国
    LB lebaneserepublic
    LC stlucia
    LK ceylon 锡兰
    LY libyanarabjamahiriya stateoflibya
    MD moldovarepublicof republicofmoldova
    MF saintmartinfrenchpart stmartin stmartinfrenchpart
    MK macedonia republicofnorthmacedonia
    MM burma myanmarburma
    MO macaosar macaosarchina macaospecialadministrativeregionofchina macau macausar 中国澳门
    MX unitedmexicanstates
    MY 大马
    NL holland kingdomofthenetherlands netherlands
    NO norge
    NZ aotearoa 纽西兰
    PG 巴新
    PL polska
    PM saintpierremiquelon stpierreandmiquelon stpierremiquelon
    PN pitcairnislands
    PS palestine palestinestateof palestinianterritories stateofpalestine 巴勒斯坦
    PT portugueserepublic
    QA stateofqatar
    RE lareunion 留尼旺
    RU russianfederation 俄国
    RW rwandeserepublic
    SA ksa saudi 沙乌地阿拉伯 沙特
    SE sverige
    SG 星加坡 狮城
    SH sainthelenaascensionandtristandacunha sainthelenaascensiontristandacunha sthelena sthelenaascensionandtristandacunha
    SH sthelenaascensiontristandacunha
    SJ svalbard svalbardjanmayen
    SK slovakrepublic
    ST saotome saotomeprincipe
    SX sintmaartendutchpart
    SY syrianarabrepublic
    SZ swaziland
    TC turkscaicosislands
    TF frenchsouthernandantarcticlands frenchsouthernantarcticlands
    TG togoleserepublic
    TH siam 暹罗
    TL easttimor
    TR turkiye
    TT trinidad trinidadtobago
    TW chinesetaipei republicofchina taiwanprovinceofchina
    TZ tanzaniaunitedrepublicof unitedrepublicoftanzania
    UM usminoroutlyingislands usoutlyingislands
    US america unitedstatesofamerica 美利坚合众国
    VA holysee holyseevaticancitystate vaticancity vaticancitystate
    VC saintvincent saintvincentandgrenadines saintvincentgrenadines saintvincentthegrenadines stvincent
    VC stvincentandgrenadines stvincentandthegrenadines stvincentgrenadines stvincentthegrenadines
    VE bolivarianrepublicofvenezuela venezuelabolivarianrepublicof
    VG virginislandsbritish
    VI virginislandsoftheunitedstates virginislandsus
    WF wallisfutuna
    WS westernsamoa
    ZW rhodesia
    """
}
